#include "sched/policy/pair_trial.hpp"

namespace heddle::sched {

std::optional<double> PairTrial::profit(std::uint64_t now_ns, Blocks in_flight) {
  constexpr std::uint64_t least_ns = 4'000'000;  // ends are seen in groups, some ten microseconds apart
  if (ended_) return std::nullopt;
  Blocks done = {};
  for (std::size_t i = 0; i < done.size(); ++i) done[i] = issued_[i] - in_flight[i];
  if (!begun_) {
    if (done[0] < round_[0] || done[1] < round_[1]) return std::nullopt;
    begun_ = true;
    begin_ns_ = now_ns;
    first_ = done;
    return std::nullopt;
  }
  if (now_ns < begin_ns_ + least_ns) return std::nullopt;
  double speed = 0;  // 1: as much as one kernel alone
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i] < first_[i] + 2 * round_[i]) return std::nullopt;
    speed += static_cast<double>(done[i] - first_[i]) / static_cast<double>(now_ns - begin_ns_) / alone_[i];
  }
  ended_ = true;
  return 1 - 1 / speed;
}

}  // namespace heddle::sched
