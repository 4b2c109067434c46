#include "device/sim/memory/sm_memory.hpp"

#include <algorithm>
#include <bit>

#include "device/sim/memory/bank_conflicts.hpp"

namespace heddle::device::sim {

SmMemory::SmMemory(const MachineDescription& machine, unsigned sm)
    : shared_(machine.shared),
      l1_(machine.l1),
      lsu_(machine.lsu),
      constant_(machine.constant),
      header_bytes_(machine.crossbar.header_bytes),
      crossbar_latency_(ticks(machine.crossbar.latency)),
      request_rate_(machine.crossbar.request_bytes),
      response_rate_(machine.crossbar.response_bytes),
      map_(machine),
      coalescer_(machine),
      sm_(static_cast<std::uint16_t>(sm)),
      tags_(machine.l1.bytes, machine.l1.ways, machine.l1.line, machine.l1.replacement),
      constant_tags_(machine.constant.bytes, machine.constant.ways, machine.constant.line, Replacement::lru),
      mshrs_(machine.l1.mshrs, machine.l1.merges),
      // An access may need as many lines as it has lanes, and is taken while one MSHR is free.
      constant_mshrs_(machine.constant.mshrs + 32, 1),
      queued_(machine.lsu.queue) {}

Admission SmMemory::access(Cycle now, const WarpAccess& access, AccessTag tag) {
  advance(now);
  switch (access.space) {
    case MemorySpace::shared: return access_shared(now, access);
    case MemorySpace::constant: return access_constant(now, access, tag);
    default: return access_global(now, access, tag);
  }
}

Admission SmMemory::refuse(MemoryStall stall, Cycle retry) {
  ++counters_.refused[static_cast<unsigned>(stall)];
  return {stall, retry};
}

Admission SmMemory::access_shared(Cycle now, const WarpAccess& access) {
  if (shared_free_ > now) return refuse(MemoryStall::busy, shared_free_);
  const Passes passes = shared_passes(shared_, access);
  ++counters_.shared_accesses;
  counters_.shared_passes += passes.needed;
  counters_.shared_least_passes += passes.least;
  shared_free_ = now + Cycle{passes.needed} * shared_.interval;
  note_replays(access.scheduler, passes.needed - passes.least);
  // The last pass starts the data of the lanes that come last.
  return {MemoryStall::none, now + shared_.latency + Cycle{passes.needed - passes.least} * shared_.interval};
}

// Words are served one by one, each to all lanes that want it.
Admission SmMemory::access_constant(Cycle now, const WarpAccess& access, AccessTag tag) {
  if (constant_free_ > now) return refuse(MemoryStall::busy, constant_free_);
  if (constant_mshrs_.used() >= constant_.mshrs) return refuse(MemoryStall::mshrs_full, never);
  std::array<std::uint64_t, 32> words, lines;
  unsigned word_count = 0, line_count = 0;
  const auto insert = [](auto& list, unsigned& count, std::uint64_t value) {
    if (std::find(list.begin(), list.begin() + count, value) == list.begin() + count) list[count++] = value;
  };
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(left))];
    if (address == last) continue;
    last = address;
    insert(words, word_count, address / std::max<unsigned>(access.bytes, 4));
    insert(lines, line_count, address / constant_.line);
  }
  ++counters_.constant_accesses;
  counters_.constant_passes += word_count;
  constant_free_ = now + word_count;
  note_replays(access.scheduler, word_count - 1);
  const Cycle ready = now + word_count - 1 + constant_.latency;
  std::uint32_t flight = none;
  for (unsigned i = 0; i < line_count; ++i) {
    if (constant_tags_.find(lines[i]) != nullptr) {
      ++counters_.constant.hits;
      continue;
    }
    if (flight == none) flight = begin_flight(tag, 1);  // one for the look-ups themselves
    ++flights_[flight].left;
    std::uint32_t mshr = constant_mshrs_.find(lines[i]);
    const std::uint64_t address = lines[i] * constant_.line;
    const Transaction line{address & ~std::uint64_t{chunk_bytes - 1}, 0,
                           widened(static_cast<SectorMask>(1u << address % chunk_bytes / sector_bytes), constant_.line),
                           0, 0};
    if (mshr == constant_mshrs_.none) {
      ++counters_.constant.misses;
      mshr = constant_mshrs_.allocate(lines[i], true);
      constant_mshrs_.expect(mshr, line.sectors);
      send(RequestKind::load, line, line.sectors, mshr | to_constant << target_shift, ready);
    } else {
      ++counters_.constant.pending_hits;
    }
    constant_mshrs_.wait(mshr, {flight, line.sectors});
  }
  if (flight == none) return {MemoryStall::none, ready};
  finish(flight, ready);
  return {};
}

void SmMemory::count_global(const WarpAccess& access, const Transactions& transactions) {
  ++(access.space == MemorySpace::global ? counters_.global_accesses : counters_.local_accesses);
  if (access.operation >= MemoryOperation::atomic) ++counters_.atomic_accesses;
  counters_.transactions += transactions.count;
  counters_.useful_bytes += static_cast<unsigned>(std::popcount(access.mask)) * access.bytes;
  for (const Transaction& made : transactions) {
    counters_.transaction_bytes += static_cast<unsigned>(std::popcount(made.sectors)) * sector_bytes;
  }
}

Admission SmMemory::access_global(Cycle now, const WarpAccess& access, AccessTag tag) {
  if (waiting_ == queued_.size()) {
    return blocked_ == MemoryStall::none ? refuse(MemoryStall::busy, std::max(port_free_, now + 1))
                                         : refuse(blocked_, never);
  }
  Queued& made = queued_[(head_ + waiting_) % queued_.size()];
  const bool global = access.space == MemorySpace::global;
  made.operation = access.operation;
  made.cached = tags_.exists() && (global ? l1_.global_loads : l1_.local) &&
                (access.operation == MemoryOperation::store || !access.bypass_l1);
  made.write = global ? l1_.global_write : l1_.local_write;
  made.next = 0;
  made.scheduler = access.scheduler;
  coalescer_.coalesce(access, made.cached && access.operation == MemoryOperation::load, made.transactions);
  count_global(access, made.transactions);
  made.flight = begin_flight(tag, made.transactions.count);
  if (waiting_++ == 0) port_free_ = std::max(port_free_, now);
  direct_ = made.flight;
  direct_ready_ = never;
  advance(now);
  direct_ = none;
  return {MemoryStall::none, direct_ready_};
}

MemoryStall SmMemory::refusal() const {
  if (waiting_ != queued_.size()) return MemoryStall::none;
  return blocked_ == MemoryStall::none ? MemoryStall::busy : blocked_;
}

Cycle SmMemory::next_event() const {
  const Cycle arrival = arriving_.empty() ? never : arriving_.front().cycle;
  return can_look_up() ? std::min(arrival, port_free_) : arrival;
}

// Of events in one cycle data that arrive come first.
void SmMemory::advance(Cycle now) {
  for (;;) {
    const Cycle arrival = arriving_.empty() ? never : arriving_.front().cycle;
    const Cycle look = can_look_up() ? port_free_ : never;
    if (std::min(arrival, look) > now) return;
    if (arrival <= look) {
      arrive(arriving_.pop());
    } else {
      look_up(look);
    }
  }
}

// Looks up transactions of the accesses that wait, in their order: until one finds its bank taken by another of the
// cycle, or waits for data.
void SmMemory::look_up(Cycle now) {
  std::uint32_t busy = 0;
  MemoryStall stall = MemoryStall::none;
  while (waiting_ != 0) {
    Queued& access = queued_[head_];
    const unsigned first = access.next;
    while (access.next < access.transactions.count) {
      const Transaction& transaction = access.transactions.list[access.next];
      const std::uint32_t bank = 1u << (line_of(transaction) & (l1_.banks - 1));
      if ((busy & bank) != 0) break;
      stall = serve(access, transaction, now);
      if (stall != MemoryStall::none) break;
      busy |= bank;
      ++access.next;
    }
    if (first != 0 && access.next != first) note_replays(access.scheduler, 1);
    if (access.next != access.transactions.count) break;
    head_ = (head_ + 1) % queued_.size();
    --waiting_;
  }
  port_free_ = busy != 0 ? now + 1 : now;
  if (stall == MemoryStall::none) return;
  blocked_ = stall;
  blocked_since_ = now;
}

void SmMemory::note_replays(unsigned scheduler, unsigned passes) {
  if (passes == 0 || !lsu_.replays) return;
  replays_[scheduler % replays_.size()] += passes;
  replayed_ = true;
}

// Data have arrived: an access that could not go on is tried again.
void SmMemory::unblock(Cycle now) {
  if (blocked_ == MemoryStall::none) return;
  counters_.stall_cycles[static_cast<unsigned>(blocked_)] += now - blocked_since_;
  blocked_ = MemoryStall::none;
  port_free_ = std::max(port_free_, now);
}

std::uint32_t SmMemory::begin_flight(AccessTag tag, std::uint32_t transactions) {
  if (free_flight_ == none) {
    free_flight_ = static_cast<std::uint32_t>(flights_.size());
    flights_.emplace_back();
  }
  const std::uint32_t made = free_flight_;
  free_flight_ = flights_[made].next_free;
  flights_[made] = {tag, transactions, 0, none};
  ++in_flight_;
  return made;
}

// One transaction of it has its data at `ready`.
void SmMemory::finish(std::uint32_t index, Cycle ready) {
  Flight& flight = flights_[index];
  flight.ready = std::max(flight.ready, ready);
  if (--flight.left != 0) return;
  if (index == direct_) {
    direct_ready_ = flight.ready;
  } else {
    completions_.push_back({flight.tag, flight.ready});
  }
  flight.next_free = free_flight_;
  free_flight_ = index;
  --in_flight_;
}

}  // namespace heddle::device::sim
