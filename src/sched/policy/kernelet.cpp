#include "sched/policy/kernelet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/format.hpp"

namespace heddle::sched {

namespace {

using BlocksByKernel = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

std::uint64_t blocks_of(const BlocksByKernel& all, std::uint64_t kernel) {
  for (const auto& [id, blocks] : all)
    if (id == kernel) return blocks;
  return 0;
}

void add_blocks(BlocksByKernel& all, const RangeView& range) {
  for (auto& [id, blocks] : all)
    if (id == range.corun->id) {
      blocks += range.blocks.size();
      return;
    }
  all.emplace_back(range.corun->id, range.blocks.size());
}

}  // namespace

KerneletPolicy::KerneletPolicy(std::unique_ptr<PairRates> rates, KerneletOptions options)
    : rates_(std::move(rates)), options_(options) {}

void KerneletPolicy::decide(const View& view, std::vector<Decision>& decisions) {
  why_.clear();
  places_.resize(view.devices.size());
  for (Place& place : places_) place.ended.clear();
  count_in_flight(view, std::exchange(ranges_, none));
  tasks_end_ = false;
  for (std::size_t place = 0; place < places_.size(); ++place) decide_at(view, place, decisions);
  tasks_ = tasks_end_ ? none : view.ready.size();
  last_task_ = view.ready.empty() ? 0 : view.ready.back().id;
  ranges_ = view.in_flight.size();
  last_ns_ = view.now_ns;
}

std::vector<Figure> KerneletPolicy::figures() const {
  const auto figure = [](const char* name, std::uint64_t value) { return Figure{name, static_cast<double>(value)}; };
  return {figure("tasks", looked_at_.tasks), figure("ranges in flight", looked_at_.ranges),
          figure("choices", looked_at_.choices), figure("pairs", looked_at_.pairs)};
}

void KerneletPolicy::ended(const Completion& completion) {
  if (completion.range.corun == nullptr || completion.range.place >= places_.size()) return;
  add_blocks(places_[completion.range.place].ended, completion.range);
}

// Where slices cost the host time, most ends change nothing: several slices are submitted at a time.
bool KerneletPolicy::has_enough_in_flight() const {
  if (ranges_ == none || tasks_ == none) return false;
  return std::all_of(places_.begin(), places_.end(), [](const Place& place) { return place.has_enough(); });
}

bool KerneletPolicy::Place::has_enough() const {
  if (kinds.empty() && ranges == 0) return true;  // nothing is there for this device
  if (!settled || filling || trial || parts.empty()) return false;
  return std::none_of(parts.begin(), parts.end(), [&](const Part& part) {
    const std::uint64_t blocks = in_flight(part.kernel), less = blocks_of(ended, part.kernel);
    return less >= blocks || part.plan.is_low(blocks - less);
  });
}

std::uint64_t KerneletPolicy::Place::in_flight(std::uint64_t kernel) const { return blocks_of(flying, kernel); }

void KerneletPolicy::Place::add(const RangeView& range) {
  ++ranges;
  if (range.corun != nullptr) add_blocks(flying, range);
}

bool KerneletPolicy::Place::remove(const RangeView& range) {
  if (ranges == 0) return false;
  --ranges;
  if (range.corun == nullptr) return true;
  for (auto& entry : flying) {
    if (entry.first != range.corun->id || entry.second < range.blocks.size()) continue;
    entry.second -= range.blocks.size();
    if (entry.second > 0) return true;
    entry = flying.back();
    flying.pop_back();
    return true;
  }
  return false;
}

// Most decisions are made because a slice has ended, and there may be many in flight.
void KerneletPolicy::count_in_flight(const View& view, std::size_t before) {
  if (before != none && count_changes(view, before)) return;
  for (Place& place : places_) {
    place.flying.clear();
    place.ranges = 0;
  }
  for (const RangeView& range : view.in_flight) places_[range.place].add(range);
  looked_at_.ranges += view.in_flight.size();
}

// Ranges are in the order of submission. So those that have begun since the last time are the last ones, unless one of
// them has ended already. Then all must be counted.
bool KerneletPolicy::count_changes(const View& view, std::size_t before) {
  const std::size_t now = view.in_flight.size(), ended = view.completions.size();
  if (now + ended < before || ended > before) return false;
  for (const Completion& completion : view.completions)
    if (completion.range.submitted_ns >= last_ns_ || completion.range.place >= places_.size() ||
        !places_[completion.range.place].remove(completion.range))
      return false;
  const std::size_t begun = now + ended - before;
  for (const RangeView& range : view.in_flight.last(begun)) places_[range.place].add(range);
  looked_at_.ranges += ended + begun;
  return true;
}

bool KerneletPolicy::can_slice(const View& view, const TaskView& task) const {
  return task.divisible && task.corun != nullptr && view.devices[task.place].corun != nullptr;
}

// Most decisions are made because a slice has ended. Then the tasks are those of the last time, and looking at a few of
// them shows it: tasks are in the order in which they were made, and leave only by decisions.
bool KerneletPolicy::knows_tasks(const View& view, const Place& place) const {
  if (view.ready.size() != tasks_ || view.ready.empty() || view.ready.back().id != last_task_) return false;
  return std::all_of(place.kinds.begin(), place.kinds.end(),
                     [&](const Kind& kind) { return view.ready[kind.task].id == kind.id; });
}

// Finds the oldest task of each kernel. What cannot be sliced is submitted in its turn by age.
void KerneletPolicy::find_kinds(const View& view, std::size_t number, Place& place, std::vector<Decision>& decisions) {
  place.kinds.clear();
  place.settled = false;
  looked_at_.tasks += view.ready.size();
  unsigned ranges = place.ranges;
  std::array<const KernelTraits*, 16> recent{};
  for (std::size_t i = 0; i < view.ready.size(); ++i) {
    const TaskView& task = view.ready[i];
    if (task.place != number) continue;
    if (!can_slice(view, task)) {
      tasks_end_ = true;
      // Nothing that could be sliced is older.
      if (!place.kinds.empty() || ranges >= options_.whole) continue;
      decisions.push_back({.task = i});
      ++ranges;
      continue;
    }
    // Most tasks are of kernels that were seen just before.
    const KernelTraits*& seen =
        recent[reinterpret_cast<std::uintptr_t>(task.corun) / sizeof(KernelTraits) % recent.size()];
    if (std::exchange(seen, task.corun) == task.corun) continue;
    const bool known = std::any_of(place.kinds.begin(), place.kinds.end(), [&](const Kind& kind) {
      return kind.traits == task.corun || kind.traits->id == task.corun->id;
    });
    if (!known) place.kinds.push_back({i, task.id, task.corun});
  }
}

void KerneletPolicy::decide_at(const View& view, std::size_t number, std::vector<Decision>& decisions) {
  Place& place = places_[number];
  if (!knows_tasks(view, place)) find_kinds(view, number, place, decisions);
  const std::vector<Kind>& kinds = place.kinds;
  if (kinds.empty()) {
    place.parts.clear();
    place.kernels.clear();
    return;
  }
  if (!place.settled && chooses_later(view, number, place)) {
    place.parts.clear();
    place.kernels.clear();
    issue_whole(view, number, place, options_.whole_before, decisions);
    return;
  }
  if (!place.settled) choose(view, kinds, place);
  if (fails(view, place)) choose(view, kinds, place);
  place.settled = true;
  if (place.parts.empty())
    issue_whole(view, number, place, options_.whole, decisions);
  else
    issue(view, kinds, place, decisions);
}

// Ascending.
std::vector<std::uint64_t> KerneletPolicy::kernels_of(const std::vector<Kind>& kinds) {
  std::vector<std::uint64_t> kernels;
  kernels.reserve(kinds.size());
  for (const Kind& kind : kinds) kernels.push_back(kind.traits->id);
  std::sort(kernels.begin(), kernels.end());
  return kernels;
}

// Where the host's time counts: whether the device would wait while pairs are solved. If not, solves some of those that
// the choice asks for.
bool KerneletPolicy::chooses_later(const View& view, std::size_t number, const Place& place) {
  const DeviceView& device = view.devices[number];
  if (device.corun == nullptr || device.corun->slice_cycles <= 0 || place.kinds.size() < 2) return false;
  if (!rates_->lasting() || known_.contains(kernels_of(place.kinds))) return false;
  if (place.ranges == 0) return true;
  unsigned solved = 0;
  for (const auto& [first, second] : promising_pairs(device, place.kinds)) {
    if (rates_->knows(*first, *second)) continue;
    if (solved++ == options_.pairs_at_once) return true;
    rates_->best(*device.corun, *first, *second, ratio_on(device));
  }
  return false;
}

// Whether the kernels that run still have blocks. Chance chooses again when a launch is complete.
bool KerneletPolicy::can_continue(const View& view, const std::vector<Kind>& kinds, const Place& place) const {
  return std::all_of(place.parts.begin(), place.parts.end(), [&](const Part& part) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      return kind.traits->id == part.kernel &&
             (rates_->lasting() || part.task == 0 || part.task == view.ready[kind.task].id);
    });
  });
}

// Algorithm 1, line 8: the same two go on until one has no blocks left or, unless that is switched off, another kernel
// has arrived. Launches of the same kernel follow each other without a new choice.
void KerneletPolicy::choose(const View& view, const std::vector<Kind>& kinds, Place& place) {
  ++looked_at_.choices;
  const bool same_kernels =
      place.kernels.size() == kinds.size() && std::all_of(kinds.begin(), kinds.end(), [&](const Kind& kind) {
        return std::binary_search(place.kernels.begin(), place.kernels.end(), kind.traits->id);
      });
  const bool keeps_pair = place.parts.size() == 2 && !options_.recompute_on_arrival;
  if (!place.kernels.empty() && can_continue(view, kinds, place) && (same_kernels || keeps_pair)) return;
  std::vector<std::uint64_t> kernels = kernels_of(kinds);
  const Kind& oldest = kinds.front();
  const DeviceView& device = view.devices[view.ready[oldest.task].place];
  place.kernels = std::move(kernels);
  place.parts.clear();
  if (const std::optional<Choice> choice = find_co_schedule(device, kinds, place.kernels)) {
    choose_pair(view, kinds, *choice, place);
    return;
  }
  if (kinds.size() > 1) {
    why_ = fmt::format("whole launches: of {} kernels no pair gains", kinds.size());
    return;
  }
  if (device.corun->slice_cycles > 0) {
    why_ = fmt::format("whole launches: {} is alone", view.ready[oldest.task].name);
    return;
  }
  const std::uint64_t resident =
      std::max(1u, model::resident_blocks(device.corun->limits, oldest.traits->kernel.needs));
  place.parts.push_back({oldest.traits->id,
                         0,
                         {resident * std::max(1u, device.processors) * options_.alone_waves, options_.alone_ahead,
                          resident * std::max(1u, device.processors)}});
  why_ = fmt::format("{} alone: no other kernel is pending", view.ready[oldest.task].name);
}

void KerneletPolicy::choose_pair(const View& view, const std::vector<Kind>& kinds, const Choice& choice, Place& place) {
  const auto kind_of = [&](std::uint64_t kernel) {
    return *std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.traits->id == kernel; });
  };
  const Kind first = kind_of(choice.first), second = kind_of(choice.second);
  const DeviceView& device = view.devices[view.ready[first.task].place];
  const model::CoSchedule& pair = choice.pair;
  place.parts.push_back(
      {choice.first, 0,
       plan_slices(*device.corun, device.processors, *first.traits, pair.first_blocks, pair.together.first)});
  place.parts.push_back(
      {choice.second, 0,
       plan_slices(*device.corun, device.processors, *second.traits, pair.second_blocks, pair.together.second)});
  place.trial.reset();
  if (device.corun->cycles_per_ns > 0 && !tried_.contains(std::minmax(choice.first, choice.second))) {
    const auto alone = [&](const KernelTraits& traits) {
      return alone_ipc(*device.corun, traits) / traits.kernel.block_instructions * device.processors *
             device.corun->cycles_per_ns;
    };
    place.trial.emplace(PairTrial::Blocks{place.in_flight(choice.first), place.in_flight(choice.second)},
                        PairTrial::Blocks{place.parts[0].plan.resident, place.parts[1].plan.resident},
                        PairTrial::Rates{alone(*first.traits), alone(*second.traits)});
  }
  why_ = fmt::format("{} with {}: {} and {} on each SM; {:.1f} % of the time is saved, of {} kernels",
                     view.ready[first.task].name, view.ready[second.task].name, pair.first_blocks,
                     base::counted(pair.second_blocks, "block"), 100 * pair.profit, kinds.size());
}

// Whether the pair that runs was found not to gain.
bool KerneletPolicy::fails(const View& view, Place& place) {
  if (!place.trial || place.parts.size() != 2) return false;
  const std::pair<std::uint64_t, std::uint64_t> pair = std::minmax(place.parts[0].kernel, place.parts[1].kernel);
  const auto profit = place.trial->profit(
      view.now_ns, {place.in_flight(place.parts[0].kernel), place.in_flight(place.parts[1].kernel)});
  if (!profit) return false;
  place.trial.reset();
  tried_.insert(pair);
  if (*profit > options_.least_profit) return false;
  failed_.insert(pair);
  known_.clear();
  place.kernels.clear();
  return true;
}

std::optional<KerneletPolicy::Choice> KerneletPolicy::find_co_schedule(const DeviceView& device,
                                                                       const std::vector<Kind>& kinds,
                                                                       const std::vector<std::uint64_t>& kernels) {
  if (kinds.size() < 2) return std::nullopt;
  if (!rates_->lasting()) return find_anew(device, kinds);
  const auto [at, made] = known_.try_emplace(kernels);
  if (made) at->second = find_anew(device, kinds);
  return at->second;
}

// Those of different kernels, and where the host's time counts a few of them.
std::vector<KerneletPolicy::Pair> KerneletPolicy::promising_pairs(const DeviceView& device,
                                                                  const std::vector<Kind>& kinds) const {
  std::vector<Pair> all, left;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t j = i + 1; j < kinds.size(); ++j) all.emplace_back(kinds[i].traits, kinds[j].traits);
  // If all pairs are alike, the differences that count as such are halved until one is not.
  model::PairOptions options = options_.pairs;
  constexpr double none = 1e-6;
  while (options_.prune && left.empty() && options.pipeline_difference + options.memory_difference > none) {
    for (const auto& pair : all)
      if (!model::is_pruned(pair.first->kernel, pair.second->kernel, options)) left.push_back(pair);
    options.pipeline_difference /= 2;
    options.memory_difference /= 2;
  }
  if (left.empty()) left = all;
  std::erase_if(left, [&](const auto& pair) { return failed_.contains(std::minmax(pair.first->id, pair.second->id)); });
  if (device.corun->slice_cycles > 0 && left.size() > options_.most_pairs) {
    const auto difference = [](const auto& pair) {
      const model::Candidate &a = pair.first->kernel, &b = pair.second->kernel;
      return std::abs(a.pipeline_use - b.pipeline_use) + std::abs(a.memory_use - b.memory_use);
    };
    std::stable_sort(left.begin(), left.end(),
                     [&](const auto& a, const auto& b) { return difference(a) > difference(b); });
    left.resize(options_.most_pairs);
  }
  return left;
}

// Where slices cost the host time, ratios with small ones gain nothing, and neither do those after which a kernel is
// left alone.
model::PairOptions::Ratio KerneletPolicy::ratio_on(const DeviceView& device) const {
  return device.corun->slice_cycles > 0 ? model::PairOptions::Ratio::nearly_balanced : options_.pairs.ratio;
}

std::optional<KerneletPolicy::Choice> KerneletPolicy::find_anew(const DeviceView& device,
                                                                const std::vector<Kind>& kinds) {
  std::optional<Choice> best;
  for (const auto& [first, second] : promising_pairs(device, kinds)) {
    ++looked_at_.pairs;
    auto made = rates_->best(*device.corun, *first, *second, ratio_on(device));
    if (!made) continue;
    made->profit = profit_with_launches(*device.corun, device.processors, *first, *second, *made);
    if (made->profit <= options_.least_profit || (best && made->profit <= best->pair.profit)) continue;
    best = Choice{first->id, second->id, *made};
  }
  return best;
}

void KerneletPolicy::issue(const View& view, const std::vector<Kind>& kinds, Place& place,
                           std::vector<Decision>& decisions) {
  struct Open {
    std::size_t task = 0;
    std::uint64_t left = 0, flying = 0;  // blocks that are not submitted, as decided so far, and in flight
  };
  std::array<Open, 2> open;  // by part
  for (std::size_t i = 0; i < place.parts.size(); ++i) {
    Part& part = place.parts[i];
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.traits->id == part.kernel; });
    open[i] = {kind->task, view.ready[kind->task].left.size(), place.in_flight(part.kernel)};
    part.task = view.ready[kind->task].id;
    place.filling = place.filling || part.plan.is_low(open[i].flying);
  }
  while (place.filling) {
    std::optional<std::size_t> next;
    const auto filled = [&](std::size_t i) { return place.parts[i].plan.filled(open[i].flying); };
    for (std::size_t i = 0; i < place.parts.size(); ++i) {
      const bool can = open[i].left > 0 && place.parts[i].plan.takes(open[i].flying);
      if (can && (!next || filled(i) < filled(*next))) next = i;
    }
    if (!next) break;
    Open& chosen = open[*next];
    const std::uint64_t blocks = std::min(place.parts[*next].plan.blocks, chosen.left);
    decisions.push_back({.task = chosen.task, .blocks = blocks});
    chosen.left -= blocks;
    tasks_end_ = tasks_end_ || chosen.left == 0;
    if (place.trial) place.trial->issue(*next, blocks);
    chosen.flying += blocks;
  }
  // Where a launch has no blocks left, the next one goes on.
  place.filling = false;
  for (std::size_t i = 0; i < place.parts.size(); ++i)
    place.filling = place.filling || place.parts[i].plan.takes(open[i].flying);
}

void KerneletPolicy::issue_whole(const View& view, std::size_t number, const Place& place, unsigned most,
                                 std::vector<Decision>& decisions) {
  // What cannot be sliced and was decided above is in flight, too.
  std::size_t ranges = place.ranges;
  for (const Decision& decision : decisions) ranges += view.ready[decision.task].place == number ? 1 : 0;
  for (std::size_t i = 0; i < view.ready.size() && ranges < most; ++i) {
    if (view.ready[i].place != number || !can_slice(view, view.ready[i])) continue;
    decisions.push_back({.task = i});
    tasks_end_ = true;
    ++ranges;
  }
}

}  // namespace heddle::sched
