#include "batch/replay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <list>
#include <utility>

namespace heddle::batch {
namespace {

class ReplayExecutor final : public Executor {
 public:
  ReplayExecutor(const sched::CoRunDevice& corun, sched::MeasuredRates::Table table, unsigned processors,
                 double clock_mhz, std::uint64_t launch_ns)
      : corun_(corun),
        table_(std::move(table)),
        processors_(processors),
        clock_mhz_(clock_mhz),
        launch_ns_(static_cast<double>(launch_ns)) {}
  unsigned processors() const override { return processors_; }
  std::uint64_t now_ns() const override { return static_cast<std::uint64_t>(now_); }
  bool idle() const override { return ranges_.empty(); }
  void submit(Kernel& kernel, BlockRange range, Done done) override {
    if (ranges_.empty()) now_ += launch_ns_;
    ranges_.push_back({&kernel, static_cast<double>(range.size()), static_cast<double>(range.size()), std::move(done)});
  }

  void wait(std::optional<std::uint64_t> until_ns) override {
    Time until = until_ns ? static_cast<Time>(*until_ns) : std::numeric_limits<Time>::infinity();
    const auto running = run_now();
    Range* next = nullptr;
    for (const auto& [range, per_ns] : running)
      if (range && now_ + range->left / per_ns <= until) {
        next = range;
        until = now_ + range->left / per_ns;
      }
    if (!next && !until_ns) return;
    for (const auto& [range, per_ns] : running)
      if (range)
        range->left = range == next ? 0 : std::max(0.0, range->left - per_ns * static_cast<double>(until - now_));
    now_ = std::max(now_, until);
    if (!next) return;
    const Done done = std::move(next->done);
    ranges_.remove_if([&](const Range& range) { return &range == next; });
    done(now_ns());
  }

 private:
  using Time = long double;  // of 64 bits, so that every time that is waited for is reached
  struct Range {
    Kernel* kernel;
    double blocks, left;
    Done done;
  };
  using Running = std::array<std::pair<Range*, double>, 2>;  // with blocks a nanosecond

  double per_ns(double ipc, const Kernel& kernel) const {
    return ipc * processors_ / kernel.traits->kernel.block_instructions * clock_mhz_ / 1000;
  }

  // The oldest slice of each of the two oldest kernels.
  Running run_now() {
    Running running{};
    for (Range& range : ranges_) {
      if (!running[0].first) {
        running[0].first = &range;
      } else if (range.kernel->id() != running[0].first->kernel->id()) {
        running[1].first = &range;
        break;
      }
    }
    if (!running[0].first) return running;
    Kernel& first = *running[0].first->kernel;
    const model::PairIpc* const pair = running[1].first ? find(*running[0].first, *running[1].first) : nullptr;
    if (!pair) {
      running[1].first = nullptr;
      running[0].second = per_ns(sched::alone_ipc(corun_, *first.traits), first);
      return running;
    }
    Kernel& second = *running[1].first->kernel;
    const bool in_order = first.id() < second.id();
    running[0].second = per_ns(in_order ? pair->first : pair->second, first);
    running[1].second = per_ns(in_order ? pair->second : pair->first, second);
    return running;
  }

  const model::PairIpc* find(const Range& first, const Range& second) const {
    const bool in_order = first.kernel->id() < second.kernel->id();
    const Range &a = in_order ? first : second, &b = in_order ? second : first;
    const auto at = table_.find({a.kernel->id(), b.kernel->id()});
    if (at == table_.end()) return nullptr;
    const double share = a.blocks / (a.blocks + b.blocks);
    const auto distance = [&](const sched::MeasuredRatio& ratio) {
      return std::abs(static_cast<double>(ratio.first_blocks) / (ratio.first_blocks + ratio.second_blocks) - share);
    };
    const auto nearest =
        std::min_element(at->second.begin(), at->second.end(),
                         [&](const auto& one, const auto& other) { return distance(one) < distance(other); });
    return nearest == at->second.end() ? nullptr : &nearest->together;
  }

  const sched::CoRunDevice& corun_;
  const sched::MeasuredRates::Table table_;
  const unsigned processors_;
  const double clock_mhz_, launch_ns_;
  std::list<Range> ranges_;
  Time now_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_replay_executor(const sched::CoRunDevice& corun, sched::MeasuredRates::Table table,
                                               unsigned processors, double clock_mhz, std::uint64_t launch_ns) {
  return std::make_unique<ReplayExecutor>(corun, std::move(table), processors, clock_mhz, launch_ns);
}

}  // namespace heddle::batch
