#include "device/cpu/checker/launch_checker.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "ptx/instruction.hpp"

namespace heddle::device::cpu {
namespace {

constexpr unsigned warp_threads = BlockClock::warp_threads;

}  // namespace

struct LaunchChecker::Step {
  LaunchChecker& checker;
  const CheckedWarp& warp;
  const CheckedLanes& lanes;
  int lane = 0;
  AccessMark mark;
  std::uint32_t stamp = 0;
  std::uint64_t address = 0;            // of the access; an offset in shared memory
  const std::uint8_t* bytes = nullptr;  // what is there now
  bool shared = false, reads = false, writes = false;

  // The byte that a lane stores at an offset of its access.
  std::uint8_t stored(int of_lane, std::uint32_t offset) const {
    const std::uint32_t element = 1u << (lanes.access >> CheckedAccess::size_shift & 0xff);
    return lanes.values[(std::uint64_t{offset / element} * warp.width + static_cast<unsigned>(of_lane)) * element +
                        offset % element];
  }
  // The bytes are, or become, the same whichever of the two writes comes last.
  bool same_value(const AccessMark& before, std::uint32_t offset, std::uint32_t count) const {
    if (lanes.values == nullptr) return false;
    const int other = static_cast<int>(before.thread) - static_cast<int>(warp.first_thread);
    const bool of_this_call = before.line == mark.line && before.block == mark.block && other >= 0 && other < lane &&
                              (lanes.mask >> other & 1) != 0 && lanes.addresses[other] == lanes.addresses[lane];
    for (std::uint32_t i = offset; i < offset + count; ++i)
      if (stored(lane, i) != (of_this_call ? stored(other, i) : bytes[i])) return false;
    return true;
  }
};

LaunchChecker::LaunchChecker(const Checks& checks, std::uint64_t number, std::uint64_t first_block,
                             std::uint64_t blocks)
    : checks_(checks),
      number_(number),
      first_block_(first_block),
      stamp_(static_cast<std::uint32_t>(number % (AccessCells::in_parts - 1)) + 1),
      blocks_(blocks) {}

void LaunchChecker::enter(BlockClock& clock, std::uint64_t block, std::uint32_t threads, std::uint32_t shared_bytes) {
  if (clock.is_of(number_, block)) return;
  clock.start(number_, block, threads, shared_bytes, now(), checks_.init);
}

void LaunchChecker::apply_acquires(BlockClock& clock) {
  const Time time = now();
  for (std::uint32_t rest = clock.pending_acquires; rest != 0; rest &= rest - 1)
    clock.acquire(static_cast<unsigned>(__builtin_ctz(rest)), time);
  clock.pending_acquires = 0;
  order_of(clock.block() - first_block_).acquired.store(time, std::memory_order_relaxed);
}

void LaunchChecker::note_orders(const CheckedWarp& warp, std::uint32_t access) {
  const unsigned number = warp.first_thread / warp_threads;
  if ((access & CheckedAccess::releases) != 0) {
    const Time time = tick();
    warp.clock.release(number, time);
    if ((access & CheckedAccess::block_scope) == 0) order_of(warp.clock.block() - first_block_).released.store(time);
  }
  if ((access & CheckedAccess::acquires) != 0) warp.clock.pending_acquires |= 1u << number;
}

void LaunchChecker::access(const CheckedWarp& warp, const CheckedLanes& lanes, const AllocationMap& allocations) {
  BlockClock& clock = warp.clock;
  if (clock.pending_acquires != 0) apply_acquires(clock);
  if ((lanes.access & CheckedAccess::releases) != 0) note_orders(warp, CheckedAccess::releases);
  Step step{*this, warp, lanes};
  step.reads = (lanes.access & CheckedAccess::reads) != 0;
  step.writes = (lanes.access & CheckedAccess::writes) != 0;
  step.mark.time = now();
  step.mark.block = static_cast<std::uint32_t>(clock.block());
  step.mark.line = std::min(warp.line, AccessMark::most_lines);
  step.mark.strong = (lanes.access & CheckedAccess::strong) != 0;
  step.mark.atomic = step.reads && step.writes;
  const auto shared_begin = reinterpret_cast<std::uint64_t>(warp.shared);
  const bool in_window = static_cast<ptx::Space>(lanes.space) == ptx::Space::shared;
  const AllocationMap::Range* range = nullptr;
  SpinLock* lock = nullptr;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t address = lanes.addresses[lane];
    const std::uint32_t size = lanes.sizes == nullptr ? lanes.size : std::min(lanes.size, lanes.sizes[lane]);
    if (size == 0) continue;
    step.lane = lane;
    step.mark.thread = (warp.first_thread + static_cast<std::uint32_t>(lane)) & 1023;
    step.shared = in_window || address - shared_begin < warp.shared_bytes;
    if (step.shared) {
      step.address = in_window ? address : address - shared_begin;
      if (step.address + size > warp.shared_bytes) continue;
      step.bytes = warp.shared + step.address;
      step.stamp = clock.stamp();
      if (checks_.init) check_written(warp, lanes, lane, step.address, size, clock.written(), step.address, true);
      if (checks_.race) visit_bytes(step, clock.cells(), step.address / 4, step.address, size);
      continue;
    }
    if (range == nullptr || address < range->begin || address + size > range->end) {
      range = allocations.find(address, size);
      if (range == nullptr) continue;  // the thread's own memory, or parameters
    }
    Shadow* const shadow = range->shadow.get();
    if (shadow == nullptr) continue;
    if (checks_.init && shadow->knows_written())
      check_written(warp, lanes, lane, address, size, shadow->written(), address - shadow->begin(), false);
    if (!checks_.race) continue;
    SpinLock* const wanted = &shadow->lock_of(address);
    if (wanted != lock) {
      if (lock != nullptr) lock->unlock();
      lock = wanted;
      lock->lock();
    }
    step.address = address;
    step.bytes = reinterpret_cast<const std::uint8_t*>(address);
    step.stamp = stamp_;
    visit_bytes(step, shadow->cells(), shadow->word_of(address), address, size);
  }
  if (lock != nullptr) lock->unlock();
  if ((lanes.access & CheckedAccess::acquires) != 0) note_orders(warp, CheckedAccess::acquires);
}

void LaunchChecker::check_written(const CheckedWarp& warp, const CheckedLanes& lanes, int lane, std::uint64_t address,
                                  std::uint32_t size, WrittenBytes& written, std::uint64_t offset, bool shared) {
  if ((lanes.access & CheckedAccess::reads) != 0 && written.first_missing(offset, size) != size) {
    const std::uint32_t element = 1u << (lanes.access >> CheckedAccess::size_shift & 0xff);
    for (std::uint32_t at = 0; at < size; at += element) {
      // An element that the kernel only copies may be the padding of a structure.
      if ((lanes.access >> (CheckedAccess::used_shift + at / element) & 1) == 0) continue;
      if (written.first_missing(offset + at, std::min(element, size - at)) == std::min(element, size - at)) continue;
      Finding finding;
      finding.kind = Finding::Kind::uninitialised;
      finding.shared = shared;
      finding.address = address + at;
      finding.size = std::min(element, size - at);
      finding.place = {warp.clock.block(), warp.first_thread + static_cast<std::uint32_t>(lane), warp.line};
      findings_.add(finding);
    }
  }
  if ((lanes.access & CheckedAccess::writes) != 0) written.set(offset, size);
}

// Words as a whole as long as they are accessed as a whole.
void LaunchChecker::visit_bytes(const Step& step, AccessCells& cells, std::uint64_t word, std::uint64_t address,
                                std::uint32_t size) const {
  std::uint32_t done = 0;
  while (done < size) {
    AccessCell& cell = cells.word(word);
    const auto first = static_cast<std::uint32_t>((address + done) % 4);
    const std::uint32_t count = std::min(4 - first, size - done);
    if ((cell.stamp & ~AccessCells::in_parts) != step.stamp) cell = {.stamp = step.stamp};
    if (count == 4 && cell.stamp == step.stamp) {
      visit(step, cell, done, 4);
    } else {
      AccessCell* const bytes = cells.bytes_of(word);
      if (cell.stamp == step.stamp) {
        std::fill_n(bytes, 4, cell);
        cell.stamp |= AccessCells::in_parts;
      }
      for (std::uint32_t i = 0; i < count; ++i) visit(step, bytes[first + i], done + i, 1);
    }
    done += count;
    ++word;
  }
}

inline bool LaunchChecker::is_ordered(const Step& step, const AccessMark& before) const {
  if (before.block == step.mark.block)
    return before.thread == step.mark.thread || step.warp.clock.is_before(before.thread, before.time, step.mark.thread);
  LaunchChecker& checker = step.checker;
  return checker.order_of(before.block - first_block_).released.load(std::memory_order_relaxed) > before.time &&
         checker.order_of(step.mark.block - first_block_).acquired.load(std::memory_order_relaxed) > before.time;
}

inline void LaunchChecker::visit(const Step& step, AccessCell& cell, std::uint32_t offset, std::uint32_t bytes) const {
  using Hazard = Finding::Hazard;
  const auto conflicts = [&](const AccessMark& before) {
    return before.time != 0 && !(before.strong && step.mark.strong) && !is_ordered(step, before);
  };
  if (!step.writes) {
    for (const AccessMark* write : {&cell.write, &cell.strong_write})
      if (conflicts(*write)) report(step, *write, Hazard::read_after_write);
    note_read(step, cell);
    return;
  }
  if (conflicts(cell.write) && (step.reads || !step.same_value(cell.write, offset, bytes)))
    report(step, cell.write, step.reads ? Hazard::read_after_write : Hazard::write_after_write);
  if (conflicts(cell.strong_write)) report(step, cell.strong_write, Hazard::write_after_write);
  for (const AccessMark& read : cell.reads)
    if (conflicts(read)) report(step, read, Hazard::write_after_read);
  // Strong accesses of others may follow, which race with what was before this one.
  if (step.mark.strong) {
    cell.strong_write = step.mark;
    return;
  }
  cell.write = step.mark;
  cell.reads[0].time = cell.reads[1].time = cell.strong_write.time = 0;
}

// A read that comes before this one needs no place of its own: who is not ordered with it is not with this one either.
inline void LaunchChecker::note_read(const Step& step, AccessCell& cell) const {
  AccessMark &first = cell.reads[0], &second = cell.reads[1];
  const AccessMark& mark = step.mark;
  const bool as_strong = first.strong >= mark.strong;
  if (first.time == 0 || (as_strong && is_ordered(step, first))) {
    first = mark;
    return;
  }
  // The other is to be as far from the first as possible.
  const auto away = [&](const AccessMark& read) {
    if (read.time == 0) return 0;
    return read.block != first.block ? 3 : read.thread / warp_threads != first.thread / warp_threads ? 2 : 1;
  };
  if (away(mark) >= away(second)) second = mark;
}

void LaunchChecker::report(const Step& step, const AccessMark& before, Finding::Hazard hazard) const {
  Finding finding;
  finding.kind = Finding::Kind::race;
  finding.hazard = hazard;
  finding.shared = step.shared;
  finding.atomic = step.mark.strong;
  finding.before_atomic = before.strong;
  finding.address = step.address;
  finding.size = step.lanes.size;
  finding.place = {step.warp.clock.block(), step.mark.thread, step.mark.line};
  finding.before = {before.block, before.thread, before.line};
  findings_.add(finding);
}

}  // namespace heddle::device::cpu
