// Accesses whose lanes follow each other, or all go to one place: as a whole where nothing is wrong with them.
#include <algorithm>
#include <bit>

#include "device/cpu/checker/launch_checker_step.hpp"
#include "ptx/instruction.hpp"

namespace heddle::device::cpu {

struct LaunchChecker::Target {
  AccessCells* cells = nullptr;
  WrittenBytes* written = nullptr;      // null: all of it counts as written
  Shadow* shadow = nullptr;             // of global memory
  std::int64_t first_word = 0;          // of lane 0, in cells
  std::uint64_t offset = 0, bytes = 0;  // of what the lanes touch, from the first byte on: in `written`
  std::uint32_t stamp = 0;
};

namespace {

// The lowest and the highest lane.
unsigned first_of(std::uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)); }
unsigned last_of(std::uint32_t mask) { return 31 - static_cast<unsigned>(std::countl_zero(mask)); }

// The words of a group, in which lane 0's first one has the number `first`, that the lanes of `mask` touch.
std::uint16_t words_of(std::uint32_t mask, std::int64_t first, unsigned shift) {
  if (shift == 0) {
    if (first <= -32 || first >= static_cast<std::int64_t>(WordGroup::words)) return 0;
    return static_cast<std::uint16_t>(first >= 0 ? mask << first : mask >> -first);
  }
  std::uint32_t words = 0;
  for (unsigned w = 0; w < WordGroup::words; ++w) {
    const std::int64_t lane = (static_cast<std::int64_t>(w) - first) >> shift;
    if (lane >= 0 && lane < 32 && (mask >> lane & 1) != 0) words |= 1u << w;
  }
  return static_cast<std::uint16_t>(words);
}

}  // namespace

void LaunchChecker::access_run(const CheckedWarp& warp, const CheckedRun& run, const AllocationMap& allocations) {
  std::uint64_t addresses[32];
  const auto one_by_one = [&] {
    for (unsigned lane = 0; lane < 32; ++lane)
      addresses[lane] = run.address + static_cast<std::uint64_t>(run.step) * lane;
    access(warp, {addresses, nullptr, run.values, run.mask, run.size, run.space, run.access}, allocations);
  };
  if (run.mask == 0) return;
  const bool reads = (run.access & CheckedAccess::reads) != 0, writes = (run.access & CheckedAccess::writes) != 0;
  const bool is_regular = run.step == static_cast<std::int64_t>(run.size) || (run.step == 0 && !writes);
  const bool has_words =
      run.size >= 4 && run.size <= 32 && std::has_single_bit(run.size) && run.address % run.size == 0;
  Target target;
  if (!is_regular || !has_words || (reads && writes) || (run.access & CheckedAccess::releases) != 0 ||
      (checks_.race && !can_note_words()))
    return one_by_one();
  if (warp.clock.pending_acquires != 0) apply_acquires(warp.clock);
  if (!find(warp, run, allocations, target)) return one_by_one();
  if (checks_.init && target.written != nullptr) {
    const auto bytes = static_cast<unsigned>(target.bytes);
    if (reads && target.written->first_missing(target.offset, bytes) != bytes) return one_by_one();
    const std::uint32_t lanes = run.mask >> first_of(run.mask);
    if (writes && (lanes & (lanes + 1)) != 0) return one_by_one();
    if (writes) target.written->set(target.offset, target.bytes);
  }
  if (checks_.race && target.cells != nullptr) {
    const CheckedLanes lanes{addresses, nullptr, run.values, run.mask, run.size, run.space, run.access};
    Step step = begin(warp, lanes);
    step.stamp = target.stamp;
    step.shared = target.shadow == nullptr;
    if (run.step != 0)
      note_consecutive(step, run, target);
    else if (!note_broadcast(step, run, target))
      return one_by_one();
    if (target.shadow != nullptr) note_store(warp, run.access);
  }
  if ((run.access & CheckedAccess::acquires) != 0) note_orders(warp, CheckedAccess::acquires);
}

// False where the bytes are not all within shared memory, or within one allocation. No cells: they need no check.
bool LaunchChecker::find(const CheckedWarp& warp, const CheckedRun& run, const AllocationMap& allocations,
                         Target& target) {
  const auto step = static_cast<std::uint64_t>(run.step);
  const std::uint64_t low = run.address + step * first_of(run.mask);
  target.bytes = step * (last_of(run.mask) - first_of(run.mask)) + run.size;
  const auto shared_begin = reinterpret_cast<std::uint64_t>(warp.shared);
  const bool in_window = static_cast<ptx::Space>(run.space) == ptx::Space::shared;
  if (in_window || low - shared_begin < warp.shared_bytes) {
    target.offset = in_window ? low : low - shared_begin;
    if (target.offset > warp.shared_bytes || target.bytes > warp.shared_bytes - target.offset) return false;
    target.cells = &warp.clock.cells();
    target.written = &warp.clock.written();
    target.stamp = warp.clock.stamp();
    target.first_word = static_cast<std::int64_t>(target.offset / 4);
  } else {
    const AllocationMap::Range* const range = allocations.find(low, target.bytes);
    if (range == nullptr) return false;
    target.shadow = range->shadow.get();
    if (target.shadow == nullptr) return true;
    if (checks_.race && (run.access & CheckedAccess::writes) != 0) expect_write(*range, allocations);
    target.cells = &target.shadow->cells();
    target.written = target.shadow->knows_written() ? &target.shadow->written() : nullptr;
    target.offset = low - target.shadow->begin();
    target.stamp = stamp_;
    target.first_word = static_cast<std::int64_t>(target.shadow->word_of(low));
  }
  target.first_word -= static_cast<std::int64_t>(step / 4 * first_of(run.mask));
  return true;
}

void LaunchChecker::note_consecutive(Step& step, const CheckedRun& run, const Target& target) {
  constexpr std::int64_t words = WordGroup::words;
  const BlockClock& clock = step.warp.clock;
  const std::uint32_t warp = step.warp.first_thread / BlockClock::warp_threads;
  WordsAccess access;
  access.mark = step.mark;
  access.writes = step.writes;
  access.first_thread = step.warp.first_thread;
  access.word_shift = static_cast<unsigned>(std::countr_zero(run.size)) - 2;
  access.block_met = clock.block_met();
  access.warp_met = clock.warp_met(warp);
  access.is_plain = is_plain(clock);
  const std::int64_t begin = target.first_word + static_cast<std::int64_t>(first_of(run.mask) * (run.size / 4));
  const std::int64_t end = begin + static_cast<std::int64_t>(target.bytes / 4);
  // The address of word 0; an offset in shared memory.
  const std::uint64_t origin = run.address - static_cast<std::uint64_t>(target.first_word * 4);
  const auto shared_begin = reinterpret_cast<std::uint64_t>(step.warp.shared);
  bool has_addresses = false;
  std::unique_lock<AdaptiveLock> lock;
  for (std::int64_t base = begin / words * words; base < end; base += words) {
    if (target.shadow != nullptr) hold(lock, target.shadow->lock_of(origin + static_cast<std::uint64_t>(base) * 4));
    const Words group = target.cells->group(static_cast<std::uint64_t>(base / words), step.stamp);
    access.first_word = static_cast<std::int32_t>(target.first_word - base);
    const std::uint16_t mask = words_of(run.mask, target.first_word - base, access.word_shift);
    if (mask == 0 || note_words(group, mask, access)) continue;
    // Word by word, each as a part of its lane's access.
    auto* const addresses = const_cast<std::uint64_t*>(step.lanes.addresses);
    for (unsigned lane = 0; !has_addresses && lane < 32; ++lane)
      addresses[lane] = run.address + static_cast<std::uint64_t>(run.step) * lane;
    has_addresses = true;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const std::int64_t word = base + std::countr_zero(rest);
      const std::int64_t from_lane_0 = word - target.first_word;
      step.lane = static_cast<int>(from_lane_0 >> access.word_shift);
      const auto offset = static_cast<std::uint32_t>(from_lane_0 * 4 - std::int64_t{step.lane} * run.size);
      step.mark.thread = (step.warp.first_thread + static_cast<std::uint32_t>(step.lane)) & 1023;
      step.address = addresses[step.lane];
      if (step.shared && step.address >= step.warp.shared_bytes) step.address -= shared_begin;  // generic
      step.bytes = step.shared ? step.warp.shared + step.address : reinterpret_cast<const std::uint8_t*>(step.address);
      visit_bytes(step, *target.cells, static_cast<std::uint64_t>(word), step.address, 4, offset);
    }
  }
}

// Reads of the same words by all lanes. False, with nothing changed, where the lanes must be looked at one by one. In
// the order of the lanes, the first takes the first place, unless the reader there is another of them, which takes it
// then; all others take the second place one after the other, or none does.
bool LaunchChecker::note_broadcast(Step& step, const CheckedRun& run, const Target& target) {
  const BlockClock& clock = step.warp.clock;
  if (!is_plain(clock)) return false;
  std::unique_lock<AdaptiveLock> lock;
  if (target.shadow != nullptr) hold(lock, target.shadow->lock_of(run.address));
  const std::uint32_t warp = step.warp.first_thread / BlockClock::warp_threads;
  const auto begin = static_cast<std::uint64_t>(target.first_word), end = begin + run.size / 4;
  const auto is_before_all = [&](const AccessMark& mark) {
    return mark.block == step.mark.block &&
           (mark.time < clock.block_met() ||
            (mark.thread / BlockClock::warp_threads == warp && mark.time < clock.warp_met(warp)));
  };
  bool is_right = true;
  for (std::uint64_t word = begin; word < end && is_right; ++word) {
    const Words words = target.cells->group(word / WordGroup::words, step.stamp);
    const auto number = static_cast<unsigned>(word % WordGroup::words);
    const WordCell cell(words, number);
    is_right = (words.group.in_parts >> number & 1) == 0;
    for (const MarkKind kind : {write_mark, strong_write}) {
      if (!is_right || !cell.has(kind)) continue;
      const AccessMark mark = cell.get(kind);
      is_right = (mark.strong && step.mark.strong) || is_before_all(mark);
    }
  }
  for (std::uint64_t word = begin; word < end && is_right; ++word) {
    WordCell cell(target.cells->group(word / WordGroup::words, step.stamp),
                  static_cast<unsigned>(word % WordGroup::words));
    const auto read_by = [&](std::uint32_t lane) {
      step.mark.thread = (step.warp.first_thread + lane) & 1023;
      note_read(step, cell);
    };
    const std::uint32_t last = 1u << last_of(run.mask), others = run.mask & ~last;
    read_by(first_of(run.mask));
    const AccessMark first = cell.get(first_read);
    const std::uint32_t lane = first.thread - (step.warp.first_thread & 1023);
    if (first.block == step.mark.block && lane < 32 && (run.mask >> lane & 1) != 0) {
      if (1u << lane == last && others != 0) read_by(last_of(others));
      read_by(lane);
      if (1u << lane == last) continue;
    }
    if (others != 0) read_by(last_of(run.mask));
  }
  return is_right;
}

}  // namespace heddle::device::cpu
