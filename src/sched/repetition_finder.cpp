#include "sched/repetition_finder.hpp"

#include <algorithm>

namespace heddle::sched {

std::optional<std::size_t> RepetitionFinder::add(std::uint64_t thing) {
  Seen& seen = last_[(thing ^ thing >> 32) % table_size];
  const std::uint64_t distance = seen.thing == thing && seen.at != 0 ? count_ + 1 - seen.at : 0;
  if (period_ != 0 && ago(period_ - 1) == thing) {
    ++run_;
  } else {
    period_ = distance <= longest ? static_cast<std::size_t>(distance) : 0;
    run_ = period_ != 0 ? 1 : 0;
  }
  ring_[count_ % ring_size] = thing;
  seen = {thing, ++count_};
  if (period_ == 0 || run_ < std::max(2 * period_, least)) return std::nullopt;
  return period_;
}

void RepetitionFinder::clear() {
  last_.assign(table_size, {});
  count_ = period_ = run_ = 0;
}

}  // namespace heddle::sched
