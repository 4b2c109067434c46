// Which accesses need no record: reads of memory that has been written and that the launch does not write.
#include <algorithm>

#include "device/cpu/checker/launch_checker.hpp"

namespace heddle::device::cpu {
namespace {

// Below it lies no memory: null pointers with an index.
constexpr std::uint64_t first_page = 4096;

}  // namespace

// A pointer may be one past the end of what is written, and then it may be the start of another allocation.
bool LaunchChecker::may_write(const AllocationMap::Range& range, const AllocationMap& allocations) {
  const std::lock_guard guard(written_mutex_);
  if (written_.anywhere) return true;
  const auto is_here = [&](std::uint64_t a) { return a >= range.begin && a <= range.end; };
  const auto is_nowhere = [&](std::uint64_t a) {
    return a >= first_page && allocations.find(a, 1) == nullptr && allocations.find(a - 1, 1) == nullptr;
  };
  return std::any_of(written_.numbers.begin(), written_.numbers.end(), is_here) ||
         std::any_of(written_.addresses.begin(), written_.addresses.end(),
                     [&](std::uint64_t a) { return is_here(a) || is_nowhere(a); });
}

void LaunchChecker::expect_write(const AllocationMap::Range& range, const AllocationMap& allocations) {
  Shadow& shadow = *range.shadow;
  if (shadow.writer.load(std::memory_order_relaxed) == number_) return;
  if (!shadow.of_parameters() || may_write(range, allocations)) {
    shadow.writer.store(number_, std::memory_order_relaxed);
    return;
  }
  {
    const std::lock_guard guard(written_mutex_);
    written_.addresses.push_back(range.begin);
  }
  has_stray_.store(true);
}

LaunchChecker::Part LaunchChecker::exempt(const AllocationMap::Range& range, const AllocationMap& allocations) {
  Shadow* const shadow = range.shadow.get();
  if (shadow == nullptr) return {range.begin, range.end};
  if (checks_.race && (!shadow->of_parameters() || may_write(range, allocations))) return {};
  if (!checks_.init || !shadow->knows_written()) return {range.begin, range.end};
  return {range.begin, range.begin + shadow->written().prefix()};
}

std::uint64_t LaunchChecker::exempt_shared(BlockClock& clock, std::uint32_t shared_bytes) const {
  if (!clock.is_aligned()) return 0;
  return checks_.init ? std::min<std::uint64_t>(clock.written().prefix(), shared_bytes) : shared_bytes;
}

}  // namespace heddle::device::cpu
