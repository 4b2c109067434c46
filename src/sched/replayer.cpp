#include "sched/replayer.hpp"

#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"
#include "sched/replay_watch.hpp"

namespace heddle::sched {

Replayer::Replayer(Scheduler& scheduler, Transfers& transfers, const PinnedArrays& pinned,
                   const memory::Changes& changes, base::Mutex& mutex, std::shared_ptr<base::Watcher> watcher, bool on)
    : scheduler_(scheduler),
      transfers_(transfers),
      pinned_(pinned),
      changes_(changes),
      on_(on),
      batches_(scheduler.dag(), scheduler.tracker()) {
  watch_ = std::make_shared<ReplayWatch>(
      mutex, std::move(watcher),
      ReplayWatch::Held{
          [this] { return held_ == 0 ? std::nullopt : std::optional(graphs_ * ReplayRecorder::most_in_part + held_); },
          [this] { abandon(); }});
}

Replayer::~Replayer() { watch_->end(); }

bool Replayer::is_plain(const BoundLaunch& launch) const {
  // What changes a variable of its module ties a kernel to the first device (placer.hpp).
  if (launch.anywhere && launch.place != 0 && launch.kernel->variables()) return false;
  return launch.whole && !launch.config.cooperative && !launch.timed && !launch.opaque && !launch.verified &&
         launch.processors == nullptr && pinned_.none(launch.place);
}

void Replayer::begin(std::optional<ReplayRecorder::Recording> recording) {
  if (!recording) return;
  plan_ = std::move(recording->parts);
  period_ = recording->period;
  follows_.store(true, std::memory_order_relaxed);
  part_ = held_ = passing_ = 0;
  launched_ = false;
}

// Most steps find everything as the period before has left it. Their uses of arrays are recorded when the part is
// submitted, all at once.
bool Replayer::use_arrays(ReplayPart& part, ReplayStep& step) {
  if (step.is_settled(changes_)) [[likely]] {
    step.unrecorded = true;
    ++part.unrecorded;
    return true;
  }
  // Once an address on the first device was taken, what names no device belongs there (placer.hpp).
  const bool stays = pinned_.none(step.place) && (!step.anywhere || pinned_.none(0));
  return stays && step.use_arrays(changes_, scheduler_.dag().last() + held_);
}

std::optional<Replayer::Held> Replayer::follow(LaunchedKernel& kernel, const LaunchOptions& options,
                                               std::span<const Argument> arguments) {
  ReplayPart& part = plan_[part_];
  ReplayStep& step = part.steps[passing_ > 0 ? period_ - passing_ : held_];
  const bool repeated = step.is_repeated(kernel, options, arguments);
  if (repeated && passing_ > 0) [[unlikely]] {
    --passing_;
    return std::nullopt;
  }
  if (!repeated || !use_arrays(part, step)) {
    if (held_ > 0)
      abandon();
    else
      stop_following();
    return std::nullopt;
  }
  KernelHistory& history = *step.history;
  ++history.launches;
  history.last_grid = options.grid;
  history.last_block = options.block;
  history.last_shared = options.shared;
  const Held held{{batches_.current(), held_}, step.place};
  ++held_;
  if (held_ == part.steps.size())
    submit_part();
  else if (held_ == 1 && !watch_->start(patience_))
    abandon();  // nobody would see that it is held for too long
  return held;
}

void Replayer::copy_back(const ReplayPart& part, std::size_t steps) {
  const Scheduling& policy = scheduler_.policy();
  if (policy.execution != Scheduling::Execution::async || !policy.prefetch) return;
  for (std::size_t i = 0; i < steps; ++i) {
    if (!part.steps[i].due) continue;
    for (const ReplayStep::Array& array : part.steps[i].arrays)
      if (array.use.array->read_back().due()) transfers_.copy_back(*array.use.array);
  }
}

void Replayer::submit_part() {
  ReplayPart& part = plan_[part_];
  const std::size_t place = part.steps.front().place;
  if (part.steps.size() == 1) {
    submit_one_by_one();
    part_ = (part_ + 1) % plan_.size();
    return;
  }
  try {
    part.update(scheduler_.device(place));
  } catch (const std::exception& error) {
    base::log_debug("launches that repeat themselves cannot be a graph: {}", error.what());
    recorder_.give_up();
    return abandon();
  }
  part.record_uses(held_, scheduler_.dag().last());
  HeldBatches::Batch batch{.together = true};
  std::vector<device::LaunchGraph::Tail> tails;
  try {
    const graph::TaskRef task = scheduler_.submit(
        place, part.accesses, [&](device::Queue& queue) { tails = part.graph->launch(queue); }, {.keep = part.graph});
    batch.tasks.push_back(task);
    if (!tails.empty()) scheduler_.tracker()[task].with_extras().tails = std::move(tails);
  } catch (const std::exception&) {
    batch.failure = std::current_exception();
  }
  copy_back(part, part.steps.size());
  batches_.submitted(std::move(batch));
  held_ = 0;
  part_ = (part_ + 1) % plan_.size();
  launched_ = true;
  if (++graphs_ % 16 == 0) recorder_.fitted();
}

// As they would have been without replay.
void Replayer::submit_one_by_one() {
  plan_[part_].record_uses(held_, scheduler_.dag().last());
  HeldBatches::Batch batch;
  for (std::size_t i = 0; i < held_; ++i) {
    const ReplayStep& step = plan_[part_].steps[i];
    try {
      batch.tasks.push_back(scheduler_.submit(step.place, step.accesses, [&](device::Queue& queue) {
        queue.launch(*step.launch.function, step.launch.config, {0, step.launch.config.grid.count()},
                     step.launch.arguments);
      }));
    } catch (const std::exception&) {
      batch.tasks.emplace_back();
      if (!batch.failure) batch.failure = std::current_exception();
    }
  }
  copy_back(plan_[part_], held_);
  batches_.submitted(std::move(batch));
  held_ = 0;
}

void Replayer::abandon() {
  submit_one_by_one();
  ++abandoned_;
  stop_following();
  recorder_.failed();
}

// The host waits at the end of a loop without waiting: the next one may be the same again.
void Replayer::pause() {
  if (period_ == 0 || !launched_) return abandon();
  passing_ = (period_ - held_ % period_) % period_;
  launched_ = false;
  submit_one_by_one();
}

void Replayer::stop_following() {
  plan_.clear();
  follows_.store(false, std::memory_order_relaxed);
  part_ = 0;
  recorder_.clear();
}

void Replayer::flush() {
  if (!on_) return;
  if (held_ > 0) pause();
  if (plan_.empty()) begin(recorder_.waited());
}

}  // namespace heddle::sched
