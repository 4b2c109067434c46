#include "sched/replay_recorder.hpp"

#include <algorithm>
#include <utility>

namespace heddle::sched {

// Whether the launch is to be recorded.
bool ReplayRecorder::saw(std::uint64_t thing) {
  ++things_;
  host_waited_ = false;
  const std::size_t period = finder_.add(thing).value_or(0);
  if (period == 0) {
    to_record_ = 0;
    return false;
  }
  if (to_record_ > 0) return !after_wait_;
  if (things_ < quiet_until_) return false;
  // From the next thing on.
  bool waits = false;
  for (std::size_t i = 0; i < period; ++i) waits = waits || finder_.ago(i) == 0;
  to_record_ = waits ? period : (least_in_part + period - 1) / period * period;
  after_wait_ = waits;
  recording_.period = waits ? 0 : period;
  recording_.parts.clear();
  recording_.parts.emplace_back();
  return false;
}

std::optional<ReplayRecorder::Recording> ReplayRecorder::record(ReplayStep step) {
  if (recording_.parts.back().steps.size() == most_in_part) recording_.parts.emplace_back();
  recording_.parts.back().steps.push_back(std::move(step));
  return --to_record_ == 0 ? end() : std::nullopt;
}

std::optional<ReplayRecorder::Recording> ReplayRecorder::waited() {
  if (host_waited_) return std::nullopt;
  const bool recording = to_record_ > 0;
  static_cast<void>(saw(0));
  host_waited_ = true;
  if (!recording || to_record_ == 0) return std::nullopt;
  if (after_wait_) {
    after_wait_ = false;  // here it starts
    return std::nullopt;
  }
  recording_.parts.emplace_back();
  return --to_record_ == 0 ? end() : std::nullopt;
}

// Graphs are of one device, and one launch needs none.
std::optional<ReplayRecorder::Recording> ReplayRecorder::end() {
  std::vector<ReplayPart>& parts = recording_.parts;
  std::erase_if(parts, [](const ReplayPart& part) { return part.steps.empty(); });
  std::size_t longest = 0;
  bool one_place = true;
  for (const ReplayPart& part : parts) {
    longest = std::max(longest, part.steps.size());
    for (const ReplayStep& step : part.steps) one_place = one_place && step.place == parts.front().steps.front().place;
  }
  if (longest < 2 || !one_place) {
    quiet_until_ = things_ + 16 * RepetitionFinder::longest;
    parts.clear();
    return std::nullopt;
  }
  for (ReplayPart& part : parts) part.connect();
  return std::exchange(recording_, {});
}

void ReplayRecorder::failed() {
  constexpr unsigned most_doublings = 12;
  if (quiet_until_ == ~std::uint64_t{0}) return;
  quiet_until_ = things_ + (std::uint64_t{64} << std::min(++failures_, most_doublings));
}

}  // namespace heddle::sched
