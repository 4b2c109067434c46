#include "runtime/replayer.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"

namespace heddle::runtime {
namespace {

constexpr unsigned rounds_awake = 100;

}  // namespace

Replayer::~Replayer() {
  {
    const std::lock_guard lock(core_.mutex_at_end());
    stop_ = true;
  }
  woken_.notify_all();
  if (watchdog_.joinable()) watchdog_.join();
}

// Whether the launch is to be recorded.
bool Replayer::saw(std::uint64_t thing) {
  ++things_;
  host_waited_ = false;
  const std::optional<std::size_t> period = finder_.add(thing);
  if (!period) {
    to_record_ = 0;
    return false;
  }
  if (to_record_ > 0) return !after_wait_;
  if (things_ < quiet_until_) return false;
  // From the next thing on.
  bool waits = false;
  for (std::size_t i = 0; i < *period; ++i) waits = waits || finder_.ago(i) == 0;
  to_record_ = waits ? *period : (least_in_part + *period - 1) / *period * *period;
  after_wait_ = waits;
  period_ = waits ? 0 : *period;
  recording_.clear();
  recording_.emplace_back();
  return false;
}

void Replayer::record(ReplayStep step) {
  if (recording_.back().steps.size() == most_in_part) recording_.emplace_back();
  recording_.back().steps.push_back(std::move(step));
  if (--to_record_ == 0) end_recording();
}

void Replayer::end_recording() {
  std::erase_if(recording_, [](const ReplayPart& part) { return part.steps.empty(); });
  std::size_t longest = 0;
  for (const ReplayPart& part : recording_) longest = std::max(longest, part.steps.size());
  const std::size_t place = recording_.empty() ? 0 : recording_.front().steps.front().place;
  bool one_place = true;
  for (const ReplayPart& part : recording_)
    for (const ReplayStep& step : part.steps) one_place = one_place && step.place == place;
  if (longest < 2 || !one_place) {
    quiet_until_ = things_ + 16 * replay::Finder::longest;
    recording_.clear();
    return;
  }
  for (ReplayPart& part : recording_) part.connect();
  plan_ = std::exchange(recording_, {});
  follows_.store(true, std::memory_order_relaxed);
  part_ = held_ = passing_ = 0;
  launched_ = false;
  launches_ = std::make_shared<HeldLaunches>();
}

std::optional<Replayer::Held> Replayer::follow(const LaunchCall& call) {
  ReplayPart& part = plan_[part_];
  const std::size_t at = passing_ > 0 ? period_ - passing_ : held_;
  // Once an address on the first device was taken, what names no device belongs there (placer.hpp).
  const bool stays = core_.pinned_none(part.steps[at].place) && (!call.anywhere || core_.pinned_none(0));
  if (!stays || !part.steps[at].take(call)) {
    if (held_ > 0)
      abandon();
    else
      stop_following();
    return std::nullopt;
  }
  if (passing_ > 0) {
    --passing_;
    return std::nullopt;
  }
  KernelHistory& history = *call.kernel.history();
  ++history.launches;
  history.last_grid = call.options.grid;
  history.last_block = call.options.block;
  history.last_shared = call.options.shared;
  Held held{launches_, held_, part.steps[held_].place};
  ++held_;
  if (held_ == part.steps.size())
    launch_part();
  else if (held_ == 1)
    wake();
  return held;
}

void Replayer::copy_back(const ReplayPart& part, std::size_t steps) {
  const Scheduling& policy = core_.engine().policy();
  if (policy.execution != Scheduling::Execution::async || !policy.prefetch) return;
  for (std::size_t i = 0; i < steps; ++i)
    for (const ReplayStep::Value& value : part.steps[i].values)
      if (value.buffer && value.buffer->is_read_back()) value.buffer->copy_back();
}

void Replayer::launch_part() {
  ReplayPart& part = plan_[part_];
  const std::size_t place = part.steps.front().place;
  if (part.steps.size() == 1) {
    issue();
    part_ = (part_ + 1) % plan_.size();
    return;
  }
  try {
    part.bring_up_to_date(*core_.place(place).device);
  } catch (const std::exception& error) {
    base::log_debug("launches that repeat themselves cannot be a graph: {}", error.what());
    quiet_until_ = ~std::uint64_t{0};
    return abandon();
  }
  std::vector<device::LaunchGraph::Tail> tails;
  try {
    launches_->submitted.push_back(
        core_.engine().submit(place, part.accesses, [&](device::Queue& queue) { tails = part.graph->launch(queue); }));
    core_.engine().set_graph(launches_->submitted.back().task, part.graph, std::move(tails));
  } catch (const std::exception&) {
    launches_->failure = std::current_exception();
  }
  copy_back(part, part.steps.size());
  launches_->issued = launches_->together = true;
  launches_ = std::make_shared<HeldLaunches>();
  held_ = 0;
  part_ = (part_ + 1) % plan_.size();
  launched_ = true;
  if (++graphs_ % 16 == 0) failures_ = 0;
}

// One after the other, as they would have been launched.
void Replayer::issue() {
  for (std::size_t i = 0; i < held_; ++i) {
    const ReplayStep& step = plan_[part_].steps[i];
    try {
      launches_->submitted.push_back(core_.engine().submit(step.place, step.accesses, [&](device::Queue& queue) {
        queue.launch(*step.launch.function, step.launch.config, {0, step.launch.config.grid.count()},
                     step.launch.arguments);
      }));
    } catch (const std::exception&) {
      launches_->submitted.emplace_back();
      if (!launches_->failure) launches_->failure = std::current_exception();
    }
  }
  copy_back(plan_[part_], held_);
  launches_->issued = true;
  launches_ = std::make_shared<HeldLaunches>();
  held_ = 0;
}

void Replayer::abandon() {
  issue();
  ++abandoned_;
  stop_following();
  if (quiet_until_ != ~std::uint64_t{0}) quiet_until_ = things_ + (std::uint64_t{64} << std::min(++failures_, 12u));
}

// The host waits at the end of a loop without waiting: the next one may be the same again.
void Replayer::pause() {
  if (period_ == 0 || !launched_) return abandon();
  passing_ = (period_ - held_ % period_) % period_;
  launched_ = false;
  issue();
}

void Replayer::stop_following() {
  plan_.clear();
  follows_.store(false, std::memory_order_relaxed);
  part_ = 0;
  finder_.clear();
}

void Replayer::settle() {
  if (!on_) return;
  if (held_ > 0) pause();
  if (host_waited_ || !plan_.empty()) return;
  const bool recording = to_record_ > 0;
  static_cast<void>(saw(0));
  host_waited_ = true;
  if (!recording || to_record_ == 0) return;
  if (after_wait_) {
    after_wait_ = false;  // here it begins
    return;
  }
  recording_.emplace_back();
  if (--to_record_ == 0) end_recording();
}

void Replayer::wake() {
  if (!watchdog_.joinable()) watchdog_ = std::thread([this] { watch(); });
  if (asleep_) woken_.notify_one();
}

void Replayer::watch() {
  std::unique_lock lock(core_.mutex());
  std::uint64_t known = ~std::uint64_t{0};
  for (unsigned idle = 0; !stop_;) {
    if (idle < rounds_awake) {
      if (woken_.wait_for(lock, patience_) == std::cv_status::no_timeout) continue;  // the end, or nothing
    } else {
      asleep_ = true;
      woken_.wait(lock);
      asleep_ = false;
      idle = 0;
      known = ~std::uint64_t{0};
      continue;
    }
    const std::uint64_t now = graphs_ * most_in_part + held_;
    if (held_ > 0 && now == known) abandon();
    idle = now == known || held_ == 0 ? idle + 1 : 0;
    known = now;
  }
}

}  // namespace heddle::runtime
