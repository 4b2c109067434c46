#include "sched/policy/baselines.hpp"

namespace heddle::sched {
namespace {

bool latency_awake(const View& view) {
  return std::any_of(view.tenants.begin(), view.tenants.end(),
                     [](const Tenant* tenant) { return is_latency(tenant) && tenant->awake(); });
}

std::uint64_t ranges_of(const View& view, std::uint32_t queue) {
  return static_cast<std::uint64_t>(std::count_if(view.in_flight.begin(), view.in_flight.end(),
                                                  [&](const RangeView& range) { return range.queue == queue; }));
}

}  // namespace

void StaticPolicy::decide(const View& view, std::vector<Decision>& decisions) {
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    const TaskView& task = view.ready[i];
    const DeviceView& device = view.devices[task.place];
    const unsigned units = (device.processors + device.grain - 1) / device.grain;
    lithos::Quotas quotas;
    quotas.assign(view.tenants, units, std::min(step_, units));
    const auto at = std::find(view.tenants.begin(), view.tenants.end(), task.queue->tenant);
    lithos::UnitSet set;
    if (at != view.tenants.end()) set = quotas.owned_by(static_cast<int>(at - view.tenants.begin()));
    if (set.none()) set = quotas.owned_by(lithos::Quotas::nobody);
    if (set.none()) continue;
    decisions.push_back({.task = i, .processors = lithos::processors_of(set, units, device.grain, device.processors)});
  }
}

// The tenant after the current one, of those with ready tasks; round robin by id.
std::uint32_t TimeSlicePolicy::next_after(const View& view) const {
  std::optional<std::uint32_t> first, after;
  for (const TaskView& task : view.ready) {
    const std::uint32_t id = id_of(task.queue->tenant);
    if (!first || id < *first) first = id;
    if (current_ && id > *current_ && (!after || id < *after)) after = id;
  }
  return after ? *after : *first;
}

void TimeSlicePolicy::decide(const View& view, std::vector<Decision>& decisions) {
  if (view.ready.empty()) return;
  const bool its_work = std::any_of(view.ready.begin(), view.ready.end(), [&](const TaskView& task) {
    return current_ && id_of(task.queue->tenant) == *current_;
  });
  const bool idle = std::all_of(view.devices.begin(), view.devices.end(),
                                [](const DeviceView& device) { return device.ranges == 0; });
  if (!current_ || view.now_ns >= end_ns_ || (idle && !its_work)) {
    if (!idle) return;  // until what is in flight has ended
    current_ = next_after(view);
    end_ns_ = view.now_ns + slice_ns_;
  }
  const double left = static_cast<double>(end_ns_ - view.now_ns) * 1e-9;
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    const TaskView& task = view.ready[i];
    if (id_of(task.queue->tenant) != *current_) continue;
    // A GPU interrupts kernels at the end of a slice; here those that can be divided are.
    std::uint64_t blocks = 0;
    if (task.divisible && task.seconds_per_block > 0)
      blocks = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(left / task.seconds_per_block));
    if (view.devices[task.place].predicted_seconds > left) continue;
    decisions.push_back({.task = i, .blocks = std::min(blocks, task.left.size())});
  }
}

std::optional<std::uint64_t> TimeSlicePolicy::wake_ns(const View& view) {
  return view.now_ns < end_ns_ ? std::optional(end_ns_) : std::nullopt;
}

void ReefPolicy::decide(const View& view, std::vector<Decision>& decisions) {
  const bool held_back = latency_awake(view);
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    const TaskView& task = view.ready[i];
    if (is_latency(task))
      decisions.push_back({.task = i, .priority = 1});
    else if (!held_back && ranges_of(view, task.queue->id) < most_)
      decisions.push_back({.task = i});
  }
}

OrionPolicy::Bound OrionPolicy::bound_of(const LaunchTraits& traits) {
  if (traits.memory_share < 0) return Bound::unknown;
  return traits.memory_share >= memory_bound ? Bound::memory : Bound::compute;
}

void OrionPolicy::decide(const View& view, std::vector<Decision>& decisions) {
  double batch_seconds = 0;
  bool compute = false, memory = false, unknown = false;
  unsigned batch = 0;
  for (const RangeView& range : view.in_flight) {
    if (!is_latency(range.tenant)) {
      batch_seconds += std::max(range.predicted_seconds, 0.0);
      ++batch;
      continue;
    }
    const Bound bound = bound_of(range.traits);
    compute = compute || bound == Bound::compute;
    memory = memory || bound == Bound::memory;
    unknown = unknown || bound == Bound::unknown;
  }
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    const TaskView& task = view.ready[i];
    if (is_latency(task)) {
      decisions.push_back({.task = i, .priority = 1});
      continue;
    }
    const Bound bound = bound_of(task.traits);
    const bool contends = unknown || (compute && bound != Bound::memory) || (memory && bound != Bound::compute);
    if (contends) continue;
    const double seconds = task.seconds_per_block * static_cast<double>(task.left.size());
    if (batch > 0 && (seconds <= 0 || batch_seconds + seconds > seconds_)) continue;  // an unknown one goes alone
    batch_seconds += seconds;
    ++batch;
    decisions.push_back({.task = i, .predicted_seconds = seconds});
  }
}

void TgsPolicy::next_window(const View& view) {
  const double ended = static_cast<double>(ended_);
  rate_ += smooth * (ended - rate_);
  most_rate_ = std::max(most_rate_ * fading, rate_);
  if (latency_awake(view) && rate_ < kept * most_rate_)
    allowed_ = std::max(allowed_ / 2, least);
  else
    allowed_ += step;
  left_ = allowed_;
  ended_ = 0;
  window_end_ns_ = view.now_ns + window_ns_;
}

void TgsPolicy::decide(const View& view, std::vector<Decision>& decisions) {
  for (const Completion& completion : view.completions) ended_ += is_latency(completion.range.tenant) ? 1 : 0;
  if (view.now_ns >= window_end_ns_) next_window(view);
  // Where there is nobody to be disturbed the rate is not limited.
  const bool alone =
      std::none_of(view.tenants.begin(), view.tenants.end(), [](const Tenant* tenant) { return is_latency(tenant); });
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    if (is_latency(view.ready[i])) {
      decisions.push_back({.task = i, .priority = 1});
    } else if (alone) {
      decisions.push_back({.task = i});
    } else if (left_ >= 1 && ranges_of(view, view.ready[i].queue->id) < 2) {
      left_ -= 1;
      decisions.push_back({.task = i});
    }
  }
}

std::optional<std::uint64_t> TgsPolicy::wake_ns(const View&) { return window_end_ns_; }

}  // namespace heddle::sched
