#include "sched/policy/granted.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::sched {
namespace {

bool is_latency(const TaskView& task) {
  return task.queue->tenant && task.queue->tenant->settings.kind == TenantClass::latency;
}

}  // namespace

// Unit j of n stands for unit j * granted / n of those that the grant speaks of: the same one if both have as many.
void GrantedPolicy::take(const Allowance& allowance, const View& view) {
  places_.assign(view.devices.size(), {});
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const DeviceView& device = view.devices[i];
    Place& place = places_[i];
    place.of_units = (device.processors + device.grain - 1) / device.grain;
    place.number.assign(device.processors, -1);
    for (unsigned unit = 0; unit < place.of_units; ++unit) {
      if (!allowance.units[std::size_t{unit} * allowance.units.size() / place.of_units]) continue;
      ++place.units;
      for (unsigned p = unit * device.grain; p < std::min((unit + 1) * device.grain, device.processors); ++p) {
        place.number[p] = static_cast<int>(place.processors.size());
        place.processors.push_back(p);
      }
    }
    place.all = place.units == place.of_units;
  }
  last_ = allowance;
  ++changes_;
}

void GrantedPolicy::submit_whole(const View& view, std::vector<Decision>& decisions) const {
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    const TaskView& task = view.ready[i];
    Decision made{.task = i, .priority = granted_ && last_->priority && is_latency(task) ? 1 : 0};
    if (granted_) {
      const Place& place = places_[task.place];
      if (place.units == 0) continue;
      if (!place.all) made.processors = place.processors;
    }
    decisions.push_back(std::move(made));
  }
}

// The processors of a range in flight, by their numbers in the restricted device. One that runs where nothing is
// granted any more counts as one on the first processor.
const std::vector<unsigned>* GrantedPolicy::restricted(const RangeView& range) {
  const Place& place = places_[range.place];
  if (place.all || range.processors->empty()) return range.processors;
  std::vector<unsigned>& set = sets_.emplace_back();
  for (const unsigned p : *range.processors)
    if (place.number[p] >= 0) set.push_back(static_cast<unsigned>(place.number[p]));
  if (set.empty()) set.push_back(0);
  return &set;
}

// Where all is granted there is nothing to do, and hundreds of short ranges may be in flight at each of many calls.
void GrantedPolicy::restrict_ranges(const View& view, View& shown) {
  if (std::all_of(places_.begin(), places_.end(), [](const Place& place) { return place.all; })) return;
  in_flight_.assign(view.in_flight.begin(), view.in_flight.end());
  completions_.assign(view.completions.begin(), view.completions.end());
  sets_.clear();
  sets_.reserve(in_flight_.size() + completions_.size());  // pointers to its elements are given out
  for (RangeView& range : in_flight_) range.processors = restricted(range);
  // How many processors a range had is all that counts once it has ended.
  for (Completion& completion : completions_) {
    RangeView& range = completion.range;
    if (!range.processors->empty() || places_[range.place].all) continue;
    std::vector<unsigned>& set = sets_.emplace_back(view.devices[range.place].processors);
    std::iota(set.begin(), set.end(), 0u);
    range.processors = &set;
  }
  shown.in_flight = in_flight_;
  shown.completions = completions_;
}

void GrantedPolicy::ask_own(const View& view, std::vector<Decision>& decisions) {
  devices_.assign(view.devices.begin(), view.devices.end());
  for (std::size_t i = 0; i < devices_.size(); ++i)
    devices_[i].processors = static_cast<unsigned>(places_[i].processors.size());
  View shown = view;
  shown.devices = devices_;
  restrict_ranges(view, shown);
  shown.tenants_version = view.tenants_version + (changes_ << 32);  // what was made of the processors is made again
  own_->decide(shown, decisions);
  asked_ = true;
  for (Decision& decision : decisions) {
    if (decision.task >= view.ready.size()) continue;
    const Place& place = places_[view.ready[decision.task].place];
    if (place.all) continue;
    if (decision.processors.empty()) {
      decision.processors = place.processors;
      continue;
    }
    for (unsigned& p : decision.processors) p = place.processors[p];
  }
  if (!decisions.empty() || !view.in_flight.empty()) return;
  // The dispatcher would submit what a thread waits for, but to the whole device.
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    if (!view.ready[i].required) continue;
    const Place& place = places_[view.ready[i].place];
    decisions.push_back({.task = i, .processors = place.all ? std::vector<unsigned>() : place.processors});
    waited_ = true;
    return;
  }
}

void GrantedPolicy::decide(const View& view, std::vector<Decision>& decisions) {
  waited_ = asked_ = false;
  const auto allowance = grants_->allowance();
  granted_ = allowance.has_value();
  if (allowance && (allowance != last_ || places_.size() != view.devices.size())) take(*allowance, view);
  const bool any =
      std::any_of(places_.begin(), places_.end(), [](const Place& place) { return !place.processors.empty(); });
  if (!granted_ || (any && !allowance->paced))
    submit_whole(view, decisions);
  else if (any)
    ask_own(view, decisions);
  report(view, decisions);
}

void GrantedPolicy::report(const View& view, const std::vector<Decision>& decisions) {
  begin_.clear();
  for (const TaskView& task : view.ready) begin_.push_back(task.left.begin);
  for (const Decision& decision : decisions) {
    if (decision.task >= view.ready.size()) continue;
    const TaskView& task = view.ready[decision.task];
    std::uint64_t& begin = begin_[decision.task];
    const std::uint64_t left = task.left.end - begin;
    const std::uint64_t blocks = decision.blocks == 0 || !task.divisible ? left : std::min(decision.blocks, left);
    const DeviceView& device = view.devices[task.place];
    const std::size_t processors = decision.processors.empty() ? device.processors : decision.processors.size();
    using Why = Submitted::Why;
    const bool measures = granted_ && last_->paced && decision.predicted_seconds < 0;
    const Why why = !granted_              ? Why::alone
                    : waited_              ? Why::waited
                    : measures             ? Why::measure
                    : blocks < task.blocks ? Why::part
                                           : Why::whole;
    grants_->submitted({.name = task.name,
                        .now_ns = view.now_ns,
                        .held_ns = task.held_ns,
                        .blocks = {begin, begin + blocks},
                        .of_blocks = task.blocks,
                        .units = static_cast<unsigned>((processors + device.grain - 1) / device.grain),
                        .of_units = (device.processors + device.grain - 1) / device.grain,
                        .predicted_seconds = decision.predicted_seconds,
                        .why = why});
    begin += blocks;
  }
}

// Grants change without a call. The own policy knows when to ask it again only if it was asked.
std::optional<std::uint64_t> GrantedPolicy::wake_ns(const View& view) {
  if (!granted_) return std::nullopt;
  const auto own = asked_ ? own_->wake_ns(view) : std::nullopt;
  if (look_ns_ <= view.now_ns) look_ns_ = view.now_ns + look_again_ns;
  return own ? std::min(*own, look_ns_) : look_ns_;
}

}  // namespace heddle::sched
