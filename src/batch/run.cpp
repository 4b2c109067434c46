#include "batch/run.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "device/owned_event.hpp"
#include "sched/dispatcher.hpp"

namespace heddle::batch {
namespace {

struct RunState {
  Executor& executor;
  std::atomic<std::uint64_t>* ended_blocks = nullptr;
  BatchResult result = {};
  // The dispatcher's; it follows the executor's.
  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>();
  void take_time() {
    const std::uint64_t now = executor.now_ns();
    if (now > clock->now_ns()) clock->advance(now - clock->now_ns());
  }
};

// The jobs of a kernel that have arrived.
struct OfKernel {
  std::deque<std::size_t> jobs;   // not given to the dispatcher
  std::size_t waiting = 0;        // that it has and that have not begun
  std::uint64_t blocks_left = 0;  // of all that it has, and that have not ended
  std::uint64_t unsubmitted = 0;  // blocks of these
};

class JobWork final : public sched::Work {
 public:
  JobWork(RunState& run, const Job& job, JobTimes& times, OfKernel& all)
      : run_(run), kernel_(*job.kernel), times_(times), all_(all) {
    ++all.waiting;
    all.blocks_left += kernel_.blocks();
    all.unsubmitted += kernel_.blocks();
  }
  std::string_view name() const override { return kernel_.name(); }
  std::size_t place() const override { return 0; }
  BlockRange blocks() const override { return {0, kernel_.blocks()}; }
  bool divisible() override { return kernel_.divisible(); }
  const sched::KernelTraits* corun() const override { return kernel_.traits ? &*kernel_.traits : nullptr; }
  std::shared_ptr<device::Event> take_event() override { return next_ = std::make_shared<device::OwnedEvent>(); }
  void give_event(std::shared_ptr<device::Event>) override {}
  void submit(BlockRange range, bool, const device::Partition*, device::Event*) override {
    if (range.begin == 0) {
      times_.begin_ns = run_.executor.now_ns();
      --all_.waiting;
    }
    ++run_.result.ranges;
    all_.unsubmitted -= range.size();
    run_.executor.submit(kernel_, range, [=, end = next_, &times = times_, &run = run_, &all = all_](auto end_ns) {
      all.blocks_left -= range.size();
      if (run.ended_blocks != nullptr) *run.ended_blocks += range.size();
      times.end_ns = std::max(times.end_ns, end_ns);
      run.take_time();
      end->complete(end_ns);
    });
  }

 private:
  RunState& run_;
  Kernel& kernel_;
  JobTimes& times_;
  OfKernel& all_;
  std::shared_ptr<device::OwnedEvent> next_;
};

// The jobs that have arrived. The dispatcher gets the oldest few of each kernel, since policies look at all that it
// has; more than that they need not see, as jobs of a kernel are alike. It gets several at a time, as each time the
// policy is asked. Of a kernel whose launches are ordered it gets the next one when the last one has ended, or is with
// an executor that puts the next one behind it.
class Arrived {
 public:
  Arrived(RunState& run, const std::vector<Job>& jobs) : run_(run), jobs_(jobs) {}
  void add(std::size_t job) { of_kernel_[jobs_[job].kernel].jobs.push_back(job); }
  // Whether the dispatcher has so few jobs of a kernel that it is time to give it others.
  bool can_give() { return oldest(few) != nullptr; }
  bool empty() const {
    return std::all_of(of_kernel_.begin(), of_kernel_.end(), [](const auto& one) { return one.second.jobs.empty(); });
  }
  // Whether there is one to give that may follow one that has been submitted.
  bool has_follower() const {
    return run_.executor.keeps_order() && std::any_of(of_kernel_.begin(), of_kernel_.end(), [&](const auto& one) {
             return one.first->ordered() && !one.second.jobs.empty() && may_follow(*one.first, one.second);
           });
  }
  void give(sched::Dispatcher& dispatcher, sched::LaunchQueue& queue) {
    while (OfKernel* const next = oldest(most)) {
      const std::size_t job = next->jobs.front();
      next->jobs.pop_front();
      dispatcher.hold_after(queue, std::make_unique<JobWork>(run_, jobs_[job], run_.result.jobs[job], *next), {});
    }
  }

 private:
  static constexpr std::size_t most = 16, few = 9;  // of a kernel: as many as run at once, and about half of them

  // Of those that may be given while the dispatcher has less than `enough` of their kernel.
  OfKernel* oldest(std::size_t enough) {
    OfKernel* oldest = nullptr;
    for (auto& [kernel, one] : of_kernel_) {
      if (one.jobs.empty() || one.waiting >= enough || (kernel->ordered() && !may_follow(*kernel, one))) continue;
      if (!oldest || std::pair(jobs_[one.jobs.front()].arrival_ns, one.jobs.front()) <
                         std::pair(jobs_[oldest->jobs.front()].arrival_ns, oldest->jobs.front()))
        oldest = &one;
    }
    return oldest;
  }

  // One launch is ahead at most: more would take the places of other kernels under policies that count launches.
  bool may_follow(const Kernel& kernel, const OfKernel& one) const {
    if (!run_.executor.keeps_order()) return one.blocks_left == 0;
    return one.unsubmitted == 0 && one.blocks_left <= kernel.blocks();
  }

  RunState& run_;
  const std::vector<Job>& jobs_;
  std::map<const Kernel*, OfKernel> of_kernel_;
};

// The policy, with what it costs and what it says.
class WatchedPolicy final : public sched::Policy {
 public:
  WatchedPolicy(std::unique_ptr<sched::Policy> policy, RunState& run) : policy_(std::move(policy)), run_(run) {}
  void decide(const sched::View& view, std::vector<sched::Decision>& decisions) override {
    const std::uint64_t begin = clock_.now_ns();
    policy_->decide(view, decisions);
    const double seconds = static_cast<double>(clock_.now_ns() - begin) * 1e-9;
    BatchResult& result = run_.result;
    ++result.decisions;
    result.decision_seconds += seconds;
    result.longest_decision = std::max(result.longest_decision, seconds);
    std::string why = policy_->explain();
    if (why.empty()) return;
    result.choice_seconds += seconds;
    result.reasons.push_back({run_.executor.now_ns(), std::move(why)});
  }
  std::optional<std::uint64_t> wake_ns(const sched::View& view) override { return policy_->wake_ns(view); }
  bool sees_ranges() const override { return policy_->sees_ranges(); }
  bool decides_all() const override { return policy_->decides_all(); }
  void ended(const sched::Completion& completion) override { policy_->ended(completion); }
  bool has_enough_in_flight() const override { return policy_->has_enough_in_flight(); }
  void queue_removed(std::uint32_t queue) override { policy_->queue_removed(queue); }
  void tenant_removed(std::uint32_t tenant) override { policy_->tenant_removed(tenant); }

 private:
  const base::SteadyClock clock_;
  const std::unique_ptr<sched::Policy> policy_;
  RunState& run_;
};

// A launch that was submitted behind another has begun when that one had ended. `order`: of arrival.
void set_begins(const std::vector<Job>& jobs, const std::vector<std::size_t>& order, std::vector<JobTimes>& times) {
  std::map<const Kernel*, std::uint64_t> ends;
  for (const std::size_t job : order) {
    if (!jobs[job].kernel->ordered()) continue;
    std::uint64_t& end = ends[jobs[job].kernel];
    times[job].begin_ns = std::max(times[job].begin_ns, end);
    end = times[job].end_ns;
  }
}

}  // namespace

std::vector<std::uint64_t> poisson_arrivals(double per_second, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr double longest_seconds = 1e9;  // so that a job's own arrival can be added
  std::vector<std::uint64_t> times;
  double seconds = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Not a distribution of the standard library, whose numbers differ between libraries.
    const double uniform = (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;
    seconds -= std::log(uniform) / per_second;
    if (!(seconds <= longest_seconds))
      base::fail(ErrorCode::invalid_argument,
                 "launch {} of {} would arrive after more than {} s: a rate of {} per second is too low for so many",
                 i + 1, count, longest_seconds, per_second);
    times.push_back(static_cast<std::uint64_t>(seconds * 1e9));
  }
  return times;
}

BatchResult run_batch(Executor& executor, const std::vector<Job>& jobs, std::unique_ptr<sched::Policy> policy,
                      const sched::CoRunDevice* corun, std::atomic<std::uint64_t>* ended_blocks) {
  RunState run{executor, ended_blocks};
  run.result.jobs.resize(jobs.size());
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return jobs[a].arrival_ns < jobs[b].arrival_ns; });
  base::Mutex mutex;
  Arrived arrived(run, jobs);
  run.take_time();
  const auto watcher = base::make_watcher(run.clock);
  sched::Dispatcher dispatcher(
      std::make_unique<WatchedPolicy>(std::move(policy), run),
      {sched::Dispatcher::Device{.processors = executor.processors(), .corun = corun}},
      [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex, watcher);
  sched::LaunchQueue& queue = dispatcher.add_queue("batch", 0);
  const std::uint64_t begin = executor.now_ns();
  std::size_t next = 0;
  while (true) {
    std::size_t held = 0;
    {
      const base::Lock lock(mutex);
      run.take_time();
      for (; next < order.size() && begin + jobs[order[next]].arrival_ns <= executor.now_ns(); ++next)
        arrived.add(order[next]);
      // Where none has come, the policy knows all: it was asked when a range ended.
      for (bool any = arrived.can_give(); any; any = arrived.has_follower()) {
        // Those that have come are seen together.
        dispatcher.set_suspended(queue, true);
        arrived.give(dispatcher, queue);
        dispatcher.set_suspended(queue, false);
      }
      if (const std::exception_ptr failure = dispatcher.take_failure()) std::rethrow_exception(failure);
      held = dispatcher.held();
    }
    if (executor.idle() && next == order.size()) {
      if (held == 0 && arrived.empty()) break;
      throw std::logic_error("the policy submits nothing");
    }
    executor.wait(next < order.size() ? std::optional(begin + jobs[order[next]].arrival_ns) : std::nullopt);
  }
  set_begins(jobs, order, run.result.jobs);
  std::uint64_t first = ~std::uint64_t{0}, last = begin;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    first = std::min(first, begin + jobs[i].arrival_ns);
    last = std::max(last, run.result.jobs[i].end_ns);
  }
  run.result.total_ns = jobs.empty() ? 0 : last - first;
  return std::move(run.result);
}

}  // namespace heddle::batch
