// One lane's access, next to what is known of the bytes from before: what the parts of LaunchChecker share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include "device/cpu/checker/launch_checker.hpp"

namespace heddle::device::cpu {

// Makes `lock` that of `wanted` alone. An exception releases it: what is recorded may find no memory.
inline void hold(std::unique_lock<AdaptiveLock>& lock, AdaptiveLock& wanted) {
  if (lock.mutex() == &wanted) return;
  if (lock) lock.unlock();
  lock = std::unique_lock(wanted);
}

struct LaunchChecker::Step {
  const CheckedWarp& warp;
  const CheckedLanes& lanes;
  int lane = 0;
  AccessMark mark;
  std::uint32_t stamp = 0;
  std::uint64_t address = 0;            // of the access; an offset in shared memory
  const std::uint8_t* bytes = nullptr;  // what is there now
  bool shared = false, reads = false, writes = false;
  // What was reported last, by kind of mark: an access conflicts with another one once, in however many of its bytes.
  struct Reported {
    AccessMark mark;
    int lane = -1;
  };
  mutable std::array<Reported, kinds> reported{};
  bool is_new(MarkKind kind, const AccessMark& before) const {
    Reported& last = reported[kind];
    const bool is_known = last.lane == lane && last.mark.thread == before.thread && last.mark.block == before.block &&
                          last.mark.line == before.line;
    last = {before, lane};
    return !is_known;
  }

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

inline bool LaunchChecker::is_ordered(const Step& step, const AccessMark& before) const {
  if (before.block == step.mark.block)
    return before.thread == step.mark.thread || step.warp.clock.is_before(before.thread, before.time, step.mark.thread);
  if (!has_released_.load(std::memory_order_relaxed)) return false;
  return order_of(before.block - first_block_).released.load(std::memory_order_relaxed) > before.time &&
         order_of(step.mark.block - first_block_).acquired.load(std::memory_order_relaxed) > before.time;
}

// A flag without a fence, too, orders what was read before it with what is written after it: programs that compute the
// flag from what they have read, and the place to write to from the flag, as CUB's compaction in place, need no fence.
inline bool LaunchChecker::is_read_ordered(const Step& step, const AccessMark& read) const {
  if (is_ordered(step, read)) return true;
  if (read.block == step.mark.block || !has_stored_.load(std::memory_order_relaxed)) return false;
  return order_of(read.block - first_block_).stored.load(std::memory_order_relaxed) > read.time &&
         order_of(step.mark.block - first_block_).acquired.load(std::memory_order_relaxed) > read.time;
}

template <class Cell>
inline void LaunchChecker::visit(const Step& step, Cell cell, std::uint32_t offset, std::uint32_t bytes) const {
  using Hazard = Finding::Hazard;
  const auto look = [&](MarkKind kind, Hazard hazard, auto&& matters) {
    if (!cell.has(kind)) return;
    const AccessMark before = cell.get(kind);
    if (before.strong && step.mark.strong) return;
    const bool ordered = hazard == Hazard::write_after_read ? is_read_ordered(step, before) : is_ordered(step, before);
    if (!ordered && matters(before) && step.is_new(kind, before)) report(step, before, hazard);
  };
  const auto always = [](const AccessMark&) { return true; };
  if (!step.writes) {
    look(write_mark, Hazard::read_after_write, always);
    look(strong_write, Hazard::read_after_write, always);
    note_read(step, cell);
    return;
  }
  look(write_mark, step.reads ? Hazard::read_after_write : Hazard::write_after_write,
       [&](const AccessMark& before) { return step.reads || !step.same_value(before, offset, bytes); });
  look(strong_write, Hazard::write_after_write, always);
  look(first_read, Hazard::write_after_read, always);
  look(second_read, Hazard::write_after_read, always);
  // Strong accesses of others may follow, which race with what was before this one.
  if (step.mark.strong) {
    cell.set(strong_write, step.mark);
    return;
  }
  cell.set(write_mark, step.mark);
  for (const MarkKind kind : {first_read, second_read, strong_write}) cell.forget(kind);
}

// A read that comes before this one needs no place of its own: who is not ordered with it is not with this one either.
template <class Cell>
inline void LaunchChecker::note_read(const Step& step, Cell& cell) const {
  const AccessMark& mark = step.mark;
  if (!cell.has(first_read)) return cell.set(first_read, mark);
  const AccessMark first = cell.get(first_read);
  if (first.strong >= mark.strong && is_ordered(step, first)) return cell.set(first_read, mark);
  // The other is to be as far from the first as possible.
  constexpr unsigned warp_threads = BlockClock::warp_threads;
  const auto away = [&](const AccessMark& read) {
    return read.block != first.block ? 3 : read.thread / warp_threads != first.thread / warp_threads ? 2 : 1;
  };
  if (!cell.has(second_read) || away(mark) >= away(cell.get(second_read))) cell.set(second_read, mark);
}

}  // namespace heddle::device::cpu
