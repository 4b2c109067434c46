#include "device/cpu/checker/launch_checker.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "device/cpu/checker/launch_checker_step.hpp"
#include "ptx/instruction.hpp"

namespace heddle::device::cpu {
namespace {

constexpr unsigned warp_threads = BlockClock::warp_threads;

// From now on the word's bytes have cells of their own, which start with what is known of the word.
void split(const Words& words, unsigned word, AccessCell* bytes) {
  const WordCell whole(words, word);
  for (unsigned i = 0; i < 4; ++i) {
    bytes[i] = {};
    for (unsigned kind = 0; kind < kinds; ++kind)
      if (whole.has(static_cast<MarkKind>(kind)))
        bytes[i].set(static_cast<MarkKind>(kind), whole.get(static_cast<MarkKind>(kind)));
  }
  words.group.in_parts = static_cast<std::uint16_t>(words.group.in_parts | 1u << word);
}

}  // namespace

LaunchChecker::LaunchChecker(const Checks& checks, std::uint64_t number, std::uint64_t first_block,
                             std::uint64_t blocks, WrittenMemory written, IsOneOperation is_one)
    : checks_(checks),
      number_(number),
      first_block_(first_block),
      stamp_(static_cast<std::uint32_t>(number % (AccessCells::stamps - 1)) + 1),
      blocks_(blocks),
      written_(std::move(written)),
      is_one_(std::move(is_one)) {}

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
    has_released_.store(true, std::memory_order_relaxed);
    const Time time = tick();
    warp.clock.release(number, time);
    if ((access & CheckedAccess::block_scope) == 0) order_of(warp.clock.block() - first_block_).released.store(time);
  }
  if ((access & CheckedAccess::acquires) != 0) warp.clock.pending_acquires |= 1u << number;
}

void LaunchChecker::note_store(const CheckedWarp& warp, std::uint32_t access) {
  constexpr std::uint32_t kind = CheckedAccess::strong | CheckedAccess::writes;
  if ((access & (kind | CheckedAccess::reads | CheckedAccess::block_scope)) != kind) return;
  has_stored_.store(true, std::memory_order_relaxed);
  order_of(warp.clock.block() - first_block_).stored.store(tick(), std::memory_order_relaxed);
}

LaunchChecker::Step LaunchChecker::begin(const CheckedWarp& warp, const CheckedLanes& lanes) const {
  Step step{warp, lanes};
  step.reads = (lanes.access & CheckedAccess::reads) != 0;
  step.writes = (lanes.access & CheckedAccess::writes) != 0;
  step.mark.time = now();
  step.mark.block = static_cast<std::uint32_t>(warp.clock.block());
  step.mark.line = std::min(warp.line, AccessMark::most_lines);
  step.mark.strong = (lanes.access & CheckedAccess::strong) != 0;
  step.mark.atomic = step.reads && step.writes;
  return step;
}

void LaunchChecker::access(const CheckedWarp& warp, const CheckedLanes& lanes, const AllocationMap& allocations) {
  BlockClock& clock = warp.clock;
  if (clock.pending_acquires != 0) apply_acquires(clock);
  if ((lanes.access & CheckedAccess::releases) != 0) note_orders(warp, CheckedAccess::releases);
  Step step = begin(warp, lanes);
  const auto shared_begin = reinterpret_cast<std::uint64_t>(warp.shared);
  const bool in_window = static_cast<ptx::Space>(lanes.space) == ptx::Space::shared;
  const AllocationMap::Range* range = nullptr;
  bool is_global = false;
  std::unique_lock<AdaptiveLock> lock;
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
    if (step.writes) expect_write(*range, allocations);
    hold(lock, shadow->lock_of(address));
    step.address = address;
    step.bytes = reinterpret_cast<const std::uint8_t*>(address);
    step.stamp = stamp_;
    visit_bytes(step, shadow->cells(), shadow->word_of(address), address, size);
    is_global = true;
  }
  if (lock) lock.unlock();
  if (is_global) note_store(warp, lanes.access);
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
      break;  // one read, whichever of its elements are not written
    }
  }
  if ((lanes.access & CheckedAccess::writes) != 0) written.set(offset, size);
}

// Words as a whole as long as they are accessed as a whole.
void LaunchChecker::visit_bytes(const Step& step, AccessCells& cells, std::uint64_t word, std::uint64_t address,
                                std::uint32_t size, std::uint32_t offset) const {
  std::uint32_t done = 0;
  while (done < size) {
    const Words words = cells.group(word / WordGroup::words, step.stamp);
    const auto number = static_cast<unsigned>(word % WordGroup::words);
    const auto first = static_cast<std::uint32_t>((address + done) % 4);
    const std::uint32_t count = std::min(4 - first, size - done);
    const bool in_parts = (words.group.in_parts >> number & 1) != 0;
    if (count == 4 && !in_parts) {
      visit(step, WordCell(words, number), offset + done, 4);
    } else {
      AccessCell* const bytes = cells.bytes_of(word);
      if (!in_parts) split(words, number, bytes);
      for (std::uint32_t i = 0; i < count; ++i) visit(step, ByteCell(bytes[first + i]), offset + done + i, 1);
    }
    done += count;
    ++word;
  }
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
