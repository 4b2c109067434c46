#include "device/sim/memory/l2_slice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::device::sim {
namespace {

// DRAM's name for a fetch: the MSHR and the sectors.
constexpr unsigned sector_bits = 4;
std::uint32_t fetch_id(std::uint32_t mshr, SectorMask sectors) { return mshr << sector_bits | sectors; }

unsigned bytes_of(SectorMask sectors) { return static_cast<unsigned>(std::popcount(sectors)) * sector_bytes; }

bool changes(RequestKind kind) { return kind == RequestKind::atomic || kind == RequestKind::reduction; }

}  // namespace

L2Slice::L2Slice(const MachineDescription& machine, unsigned index, unsigned of_channel)
    : index_(index),
      of_channel_(of_channel),
      slices_of_channel_(machine.l2.slices / machine.dram.channels),
      interleave_shift_(static_cast<unsigned>(std::countr_zero(machine.dram.interleave))),
      line_(machine.l2.line),
      sector_(machine.l2.sector),
      burst_(std::max(machine.dram.burst, sector_bytes)),
      row_lines_(machine.l2.row_write_back
                     ? std::max<std::uint64_t>(1, machine.dram.row_bytes / slices_of_channel_ / machine.l2.line)
                     : 1),
      fetch_partial_(machine.l2.fetch_on_partial_write),
      latency_(ticks(machine.l2.latency)),
      atomic_at_one_(ticks(machine.l2.atomic_interval)),
      port_(machine.l2.bytes_per_cycle),
      atomic_ticks_(ticks(1) / machine.l2.atomics_per_cycle),
      tags_(machine.l2.bytes / machine.l2.slices, machine.l2.ways, machine.l2.line, machine.l2.replacement),
      mshrs_(machine.l2.mshrs, machine.l2.merges) {}

void L2Slice::sort_requests() {
  if (next_ != 0) {
    inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }
  std::sort(inbox_.begin(), inbox_.end(), [](const Request& a, const Request& b) {
    if (a.arrival != b.arrival) return a.arrival < b.arrival;
    return a.sm != b.sm ? a.sm < b.sm : a.sequence < b.sequence;
  });
}

Ticks L2Slice::next_event() const {
  if (next_ == inbox_.size() || blocked_) return none;
  return std::max(inbox_[next_].arrival, free_);
}

void L2Slice::unblock(Ticks now) {
  if (!blocked_) return;
  blocked_ = false;
  free_ = std::max(free_, now);
  counters_.blocked_ticks += now - blocked_since_;
}

void L2Slice::step(DramChannel& channel, std::vector<Outgoing>& out) {
  const Ticks now = next_event();
  const Request& request = inbox_[next_];
  if (!take(request, now, channel, out)) {
    blocked_ = true;
    blocked_since_ = now;
    return;
  }
  ++next_;
  const bool read = request.kind == RequestKind::load;
  const unsigned moved = read ? bytes_of(request.sectors) : static_cast<unsigned>(std::popcount(request.words)) * 4;
  counters_.bytes += moved;
  // A look-up takes a cycle, however little it moves.
  free_ = now + std::max(port_.time(moved), ticks(1));
}

bool L2Slice::take(const Request& request, Ticks now, DramChannel& channel, std::vector<Outgoing>& out) {
  const bool write = request.kind == RequestKind::store || request.kind == RequestKind::write_back;
  if (!(write ? take_write(request, now, channel, out) : take_read(request, now, channel, out))) return false;
  if (changes(request.kind)) {
    counters_.atomics += request.operations;
  } else {
    ++(write ? counters_.writes : counters_.reads);
  }
  return true;
}

SectorMask L2Slice::fetched(SectorMask sectors) const { return widened(widened(sectors, sector_), burst_); }

bool L2Slice::take_read(const Request& request, Ticks now, DramChannel& channel, std::vector<Outgoing>& out) {
  const Waiter waiter{request.id,   request.sm,         request.sectors,    request.sectors,
                      request.kind, request.operations, request.at_one_word};
  const std::uint64_t number = (request.chunk + std::countr_zero(request.sectors) * sector_bytes) / line_;
  if (TagArray::Line* line = tags_.find(number)) {
    const auto missing = static_cast<SectorMask>(request.sectors & ~line->valid);
    if (missing == 0) {
      ++counters_.cache.hits;
      if (changes(request.kind)) line->dirty |= request.sectors;
      answer(waiter, now + latency_, out);
      return true;
    }
    return fetch(number, request, missing, now, channel, &waiter);
  }
  return fetch(number, request, request.sectors, now, channel, &waiter);
}

// Gets `missing` sectors; the waiter, if there is one, waits for them.
bool L2Slice::fetch(std::uint64_t number, const Request& request, SectorMask missing, Ticks now, DramChannel& channel,
                    const Waiter* waiter) {
  std::uint32_t mshr = tags_.exists() ? mshrs_.find(number) : mshrs_.none;
  const bool merges = mshr != mshrs_.none;
  SectorMask wanted = fetched(missing);
  if (merges) {
    if (waiter != nullptr && !mshrs_.mergeable(mshr)) return false;
    wanted &= static_cast<SectorMask>(~mshrs_.pending(mshr));
    if ((missing & wanted) == 0) wanted = 0;
  } else if (mshrs_.full()) {
    return false;
  }
  if (wanted != 0 && channel.room() < 2) return false;  // of a fetch, and of a line that it may replace
  if (!merges) mshr = mshrs_.allocate(number, tags_.exists());
  if (waiter != nullptr) {
    Waiter waiting = *waiter;
    waiting.sectors = missing;
    mshrs_.wait(mshr, waiting);
    ++(wanted == 0 ? counters_.cache.pending_hits : counters_.cache.misses);
  }
  if (wanted == 0) return true;
  mshrs_.expect(mshr, wanted);
  channel.read(now + latency_, channel_address(request.chunk), bytes_of(wanted), of_channel_, fetch_id(mshr, wanted));
  return true;
}

bool L2Slice::take_write(const Request& request, Ticks now, DramChannel& channel, std::vector<Outgoing>& out) {
  if (channel.room() < 2) return false;
  const Waiter waiter{request.id, request.sm, 0, 0, request.kind, 0, 0};
  if (!tags_.exists()) {
    write_to_dram(request.chunk, request.sectors, now, channel);
    ++counters_.cache.misses;
  } else {
    const std::uint64_t number = (request.chunk + std::countr_zero(request.sectors) * sector_bytes) / line_;
    TagArray::Line* line = tags_.find(number);
    const auto parts = static_cast<SectorMask>(request.sectors & ~whole_sectors(request.words) &
                                               ~(line != nullptr ? line->valid : 0u));
    if (fetch_partial_ && parts != 0 && !fetch(number, request, parts, now, channel, nullptr)) return false;
    ++(line != nullptr ? counters_.cache.hits : counters_.cache.misses);
    if (line == nullptr) line = allocate(number, now, channel);
    line->valid |= request.sectors;
    line->dirty |= request.sectors;
  }
  if (request.kind == RequestKind::store) respond(waiter, now, 0, out);
  return true;
}

// The line takes the place of the oldest, which is written to DRAM where it was changed. No line is ever pending here.
TagArray::Line* L2Slice::allocate(std::uint64_t number, Ticks now, DramChannel& channel) {
  TagArray::Line evicted;
  TagArray::Line* line = tags_.allocate(number, evicted);
  if (evicted.used != 0) ++counters_.cache.evictions;
  if (evicted.dirty != 0) {
    ++counters_.cache.write_backs;
    write_to_dram(chunk_of(evicted.number), static_cast<SectorMask>(evicted.dirty), now, channel);
    write_back_row(evicted.number, now, channel);
  }
  return line;
}

// The other changed lines of a line's DRAM row, which is open then. They may exceed the channel's queue.
void L2Slice::write_back_row(std::uint64_t number, Ticks now, DramChannel& channel) {
  const std::uint64_t first = number / row_lines_ * row_lines_;
  for (std::uint64_t other = first; other < first + row_lines_; ++other) {
    if (other == number) continue;
    const unsigned dirty = tags_.clean(other);
    if (dirty == 0) continue;
    ++counters_.cache.write_backs;
    write_to_dram(chunk_of(other), static_cast<SectorMask>(dirty), now, channel);
  }
}

void L2Slice::write_to_dram(std::uint64_t chunk, SectorMask sectors, Ticks now, DramChannel& channel) const {
  channel.write(now + latency_, channel_address(chunk), bytes_of(widened(sectors, burst_)));
}

void L2Slice::arrived(Ticks now, std::uint32_t id, DramChannel& channel, std::vector<Outgoing>& out) {
  const auto sectors = static_cast<SectorMask>(id & all_sectors);
  const std::uint32_t mshr = id >> sector_bits;
  const std::uint64_t number = mshrs_.line(mshr);
  TagArray::Line* line = nullptr;
  if (tags_.exists()) {
    line = tags_.find(number);
    if (line == nullptr) line = allocate(number, now, channel);
    line->valid |= sectors;
  }
  mshrs_.arrived(mshr, sectors, [&](const Waiter& waiter) {
    if (changes(waiter.kind)) {
      if (line != nullptr) {
        line->dirty |= waiter.wanted;
      } else {
        write_to_dram(chunk_of(number), waiter.wanted, now, channel);
      }
    }
    answer(waiter, now, out);
  });
  unblock(now);
}

// The data are there.
void L2Slice::answer(const Waiter& waiter, Ticks now, std::vector<Outgoing>& out) {
  if (!changes(waiter.kind)) {
    respond(waiter, now, bytes_of(waiter.wanted), out);
    return;
  }
  const Ticks done = atomic(waiter, now);
  respond(waiter, done, waiter.kind == RequestKind::atomic ? waiter.operations * 4u : 0, out);
}

// Operations at one address follow one another; the unit does no others meanwhile.
Ticks L2Slice::atomic(const Waiter& waiter, Ticks now) {
  // Combined: those at one word are one.
  const int apart =
      atomic_at_one_ != 0 ? waiter.operations : waiter.operations - std::max<int>(waiter.at_one_word, 1) + 1;
  const auto spread = static_cast<Ticks>(std::llround(apart * atomic_ticks_));
  atomic_free_ = std::max(now, atomic_free_) + std::max(spread, waiter.at_one_word * atomic_at_one_);
  return atomic_free_;
}

void L2Slice::respond(const Waiter& waiter, Ticks departure, unsigned bytes, std::vector<Outgoing>& out) {
  out.push_back({{departure, waiter.id, responses_++, static_cast<std::uint16_t>(index_),
                  static_cast<std::uint16_t>(bytes), waiter.wanted},
                 waiter.sm});
}

// The pieces of a channel's slices alternate in it.
std::uint64_t L2Slice::channel_address(std::uint64_t chunk) const {
  const std::uint64_t piece = chunk >> interleave_shift_;
  const std::uint64_t within = chunk & ((std::uint64_t{1} << interleave_shift_) - 1);
  return (piece * slices_of_channel_ + of_channel_) << interleave_shift_ | within;
}

}  // namespace heddle::device::sim
