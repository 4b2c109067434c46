#include "sched/policy/lithos/lithos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sched/policy/lithos/atoms.hpp"
#include "sched/policy/lithos/runs.hpp"

namespace heddle::sched::lithos {
namespace {

constexpr double miss_seconds = 50e-6;
constexpr std::uint32_t nobody_id = ~std::uint32_t{0};

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

TenantClass class_of(const TaskView& task) {
  const Tenant* const tenant = task.queue->tenant;
  return tenant ? tenant->settings.kind : TenantClass::batch;
}

std::uint32_t id_of(const Tenant* tenant) { return tenant ? tenant->id : nobody_id; }

}  // namespace

LaunchKey LithosPolicy::key_of(const TaskView& task) {
  return {task.queue->id, task.id, task.ordinal, task.traits.signature, task.blocks};
}

int LithosPolicy::number_of(const View& view, const Tenant* tenant) const {
  const auto at = std::find(view.tenants.begin(), view.tenants.end(), tenant);
  return at == view.tenants.end() ? Quotas::nobody : static_cast<int>(at - view.tenants.begin());
}

double LithosPolicy::slip_of(const Tenant* tenant) const {
  return tenant && tenant->settings.slip > 0 ? tenant->settings.slip : options_.slip;
}

void LithosPolicy::learn(const View& view) {
  for (const Completion& completion : view.completions) {
    const RangeView& range = completion.range;
    const DeviceView& device = view.devices[range.place];
    if (range.tenant) last_end_ns_[range.tenant->id] = completion.end_ns;
    const std::size_t processors = range.processors->empty() ? device.processors : range.processors->size();
    const auto units = static_cast<unsigned>((processors + device.grain - 1) / device.grain);
    const double seconds = completion.seconds();
    if (slip_of(range.tenant) >= 1 && !quotas_.empty()) {
      const Quotas& quotas = quotas_[range.place];
      const auto owned = quotas.owned_by(number_of(view, range.tenant)).count();
      counters_.unit_seconds += units * seconds;
      counters_.unit_seconds_unsized += static_cast<double>(owned > 0 ? owned : quotas.units()) * seconds;
    }
    // Where only some are timed, those say nothing of the others; in some requests all are.
    const bool all_timed = !partly_timed_.contains(range.queue) || batches_[range.queue] % options_.timed_batches == 0;
    if (range.predicted_seconds >= 0 && range.timed && all_timed) {
      const bool missed = std::abs(range.predicted_seconds - seconds) > miss_seconds;
      const bool latency = range.tenant && range.tenant->settings.kind == TenantClass::latency;
      ++counters_.predicted;
      counters_.missed += missed ? 1 : 0;
      counters_.latency_predicted += latency ? 1 : 0;
      counters_.latency_missed += latency && missed ? 1 : 0;
    }
    const LaunchKey key = {range.queue, range.task, range.ordinal, range.traits.signature, range.of_blocks};
    const Condition condition = {units, range.blocks.size()};
    if (device.on_host) {
      if (const auto own = share_of_group(completion)) predictor_.record(key, condition, *own);
    } else if (range.timed) {
      predictor_.record(key, condition, seconds);
    } else if (range.predicted_seconds >= 0 && std::abs(range.predicted_seconds - seconds) > miss_seconds) {
      // Times of ranges that were not timed are those that were predicted; the first one's is what remains.
      doubted_[range.queue] = options_.timed_samples;
    }
  }
}

// The time of a range whose end was reported: of the time that it and those before it without a report have taken
// together, its share by the predictions.
std::optional<double> LithosPolicy::share_of_group(const Completion& completion) {
  const RangeView& range = completion.range;
  Group& group = groups_[range.queue];
  if (group.ranges++ == 0) group.begin_ns = std::max(range.submitted_ns, group.end_ns);
  group.predicted += std::max(range.predicted_seconds, 0.0);
  if (!range.marked) return std::nullopt;
  const double all = static_cast<double>(completion.end_ns - std::min(group.begin_ns, completion.end_ns)) * 1e-9;
  const double part = group.predicted > 0 ? std::max(range.predicted_seconds, 0.0) / group.predicted : 1;
  group = {.end_ns = completion.end_ns};
  return all * part;
}

// Quotas, timers, and the order of the tasks: latency tenants first, then by the priority of their queues. Tenants of
// one rank take turns: the one that has had least goes first.
void LithosPolicy::look_at(const View& view) {
  if (quotas_version_ != view.tenants_version || quotas_.size() != view.devices.size()) {
    quotas_.clear();  // there may be no memory for the new ones
    std::vector<Quotas> made(view.devices.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      const unsigned grain = view.devices[i].grain;
      const unsigned units = (view.devices[i].processors + grain - 1) / grain;
      made[i].assign(view.tenants, std::min<unsigned>(units, most_units));
    }
    quotas_ = std::move(made);
    quotas_version_ = view.tenants_version;
  }
  awake_until_.clear();
  for (const Tenant* tenant : view.tenants) awake_until_.push_back(awake_until(*tenant));
  places_.clear();
  for (std::size_t i = 0; i < quotas_.size(); ++i) {
    const DeviceView& device = view.devices[i];
    Place& place = places_.emplace_back(Place{quotas_[i].units(),
                                              device.grain,
                                              device.processors,
                                              std::min(device.set_units, quotas_[i].units()),
                                              device.on_host,
                                              &quotas_[i],
                                              {}});
    place.timers.emplace(view.in_flight, i, place.units, place.grain, view.now_ns, nanoseconds(options_.atom_seconds));
  }
  order_.resize(view.ready.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
  if (order_.size() < 2) return;
  ranks_.clear();
  for (const TaskView& task : view.ready)
    ranks_.push_back(
        {class_of(task) != TenantClass::latency, -task.queue->priority, served_[id_of(task.queue->tenant)]});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return ranks_[a] < ranks_[b]; });
}

void LithosPolicy::decide(const View& view, std::vector<Decision>& decisions) {
  wake_.reset();
  last_ = {};
  learn(view);
  look_at(view);
  // One range at a time: the next call sees it in flight.
  for (const std::size_t number : order_) {
    consider(view, number, decisions);
    if (!decisions.empty()) return;
  }
}

void LithosPolicy::wake_at(const View& view, const Place& place, std::uint64_t time) {
  // What depends on ranges that are overdue moves with the time. A thread that wakes up takes a core from the workers
  // of the CPU device, and the end of each of its ranges asks again.
  const std::uint64_t shortest_ns = place.on_host ? nanoseconds(options_.throttle_seconds / 2) : 5000;
  time = std::max(time, view.now_ns + shortest_ns);
  wake_ = wake_ ? std::min(*wake_, time) : time;
}

// Until when it counts as awake: it has work, or had it until just now. In the past: it sleeps.
std::uint64_t LithosPolicy::awake_until(const Tenant& tenant) const {
  if (tenant.awake()) return ~std::uint64_t{0};
  const auto last = last_end_ns_.find(tenant.id);
  return last == last_end_ns_.end() ? 0 : last->second + nanoseconds(options_.linger_seconds);
}

// The kernel's blocks fill so many units, and its time hardly falls with more than so many.
unsigned LithosPolicy::wanted_units(const TaskView& task, const Place& place, unsigned most) {
  const double slip = slip_of(task.queue->tenant);
  // Another set of units would take longer than it saves.
  if (place.set_units > 1 && slip < 1) return most;
  // Real blocks that share a processor slow each other down. So few blocks have one each.
  const std::uint64_t together = place.set_units > 1 ? 1 : task.traits.resident_blocks;
  const std::uint64_t resident = together * place.grain;
  unsigned want = most;
  if (resident > 0)
    want = static_cast<unsigned>(std::min<std::uint64_t>(want, (task.left.size() + resident - 1) / resident));
  if (slip < 1 || want < most || most < 2) return std::max(want, 1u);
  if (lacks_a_point(task)) return std::max(most / 2, 1u);
  if (resident == 0) return want;
  return least_units(static_cast<double>(task.blocks), static_cast<double>(resident), most, slip,
                     predictor_.scaling(key_of(task)));
}

// What is known of the kernel is of one number of blocks for each unit. A range with half of the units shows more.
bool LithosPolicy::lacks_a_point(const TaskView& task) {
  return slip_of(task.queue->tenant) >= 1 && predictor_.samples(key_of(task)) > 1 &&
         !predictor_.scaling(key_of(task)).has_value();
}

// Whether it takes less time than a worker that sleeps on the CPU device takes to wake up. So any worker that is awake
// may take it, and several such ranges are in flight, as many as the throttle allows.
bool LithosPolicy::is_short(const TaskView& task, const Place& place, unsigned units) {
  if (!place.on_host) return false;
  const Estimate whole = predictor_.predict(key_of(task), {units, task.left.size()});
  return whole.source != Estimate::Source::unknown && whole.seconds < options_.throttle_seconds;
}

void LithosPolicy::add_stolen(const View& view, const TaskView& task, const Place& place, int tenant, unsigned want,
                              Choice& choice) {
  const std::uint64_t most_wait = nanoseconds(options_.atom_seconds);
  const bool latency = class_of(task) == TenantClass::latency;
  const QueueBacklog& backlog = place.timers->backlog(task.queue->id);
  if (!latency && backlog.stolen >= options_.most_stolen && !is_short(task, place, want)) {
    if (backlog.untimed > 0) wake_at(view, place, backlog.end_ns + 1);  // the end of those asks nobody again
    return;
  }
  for (unsigned unit = 0; unit < place.units && choice.count < want; ++unit) {
    const int owner = place.quotas->owner(unit);
    if (choice.set[unit] || (owner == tenant && owner != Quotas::nobody)) continue;
    if (owner != Quotas::nobody) {
      const std::uint64_t until = awake_until_[static_cast<std::size_t>(owner)];
      if (until > view.now_ns && until != ~std::uint64_t{0}) wake_at(view, place, until);
      if (!options_.steal || until > view.now_ns) continue;
    }
    const std::uint64_t busy = latency ? place.timers->latency_until(unit) : place.timers->busy_until(unit);
    if (busy > view.now_ns + most_wait) {
      wake_at(view, place, busy - most_wait);
      continue;
    }
    choice.set.set(unit);
    ++choice.count;
    choice.stolen = true;
  }
}

// Those of its own units that are free first; on devices where sets take long to make, the run of units of which all
// are free first.
void LithosPolicy::choose_own(const Place& place, const UnitSet& own, unsigned want, Choice& choice) const {
  const auto busy = [&](unsigned unit) { return place.timers->busy_until(unit); };
  if (place.set_units > 1) {
    choice.set = first_free_run(own, borders_of(*place.quotas, place.set_units), want, busy);
    choice.count = static_cast<unsigned>(choice.set.count());
    return;
  }
  std::vector<unsigned> free;
  for (unsigned unit = 0; unit < place.units; ++unit)
    if (own[unit]) free.push_back(unit);
  std::stable_sort(free.begin(), free.end(), [&](unsigned a, unsigned b) { return busy(a) < busy(b); });
  for (unsigned i = 0; i < want; ++i) choice.set.set(free[i]);
  choice.count = want;
}

LithosPolicy::Choice LithosPolicy::choose_units(const View& view, const TaskView& task, const Place& place) {
  const int tenant = task.queue->tenant ? number_of(view, task.queue->tenant) : Quotas::nobody;
  Choice choice;
  // Without tenants all launches are of one client, which has the device for itself.
  const bool owns = tenant != Quotas::nobody || view.tenants.empty();
  const UnitSet own = owns ? place.quotas->owned_by(tenant) : UnitSet();
  const auto owned = static_cast<unsigned>(own.count());
  const unsigned most = place.units;
  const bool sized = slip_of(task.queue->tenant) >= 1;
  unsigned want = wanted_units(task, place, sized && owned > 0 ? owned : most);
  if (!sized && is_short(task, place, want)) want = owned > 0 ? std::max(owned, want) : most;
  if (owned > want) {
    choose_own(place, own, want, choice);
    return choice;
  }
  choice.set = own;
  choice.count = owned;
  if (owned >= want || task.traits.cooperative) return choice;
  add_stolen(view, task, place, tenant, want, choice);
  if (place.set_units > 1) {
    choice.set = longest_run(choice.set, borders_of(*place.quotas, place.set_units));
    choice.count = static_cast<unsigned>(choice.set.count());
    choice.stolen = (choice.set & ~own).any();
    // What is its own does not go for what is lent.
    if ((choice.set & own) != own) choice = {own, owned, false};
  }
  if (!choice.stolen || task.divisible || owned > 0) return choice;
  const Estimate whole = predictor_.predict(key_of(task), {choice.count, task.left.size()});
  if (whole.seconds <= options_.confined_atoms * options_.atom_seconds) return choice;
  for (unsigned unit = place.units, keep = (choice.count + 1) / 2; unit-- > 0 && choice.count > keep;) {
    if (!choice.set[unit]) continue;
    choice.set.reset(unit);
    --choice.count;
  }
  return choice;
}

std::uint64_t LithosPolicy::blocks_of(const TaskView& task, const Place& place, const Choice& choice,
                                      const Estimate& whole) {
  if (!task.divisible || !options_.atoms || task.traits.cooperative) return task.left.size();
  // Else half of the units would get half of the blocks, in the same time.
  const double seconds = lacks_a_point(task)
                             ? predictor_.predict(key_of(task), {2 * choice.count, task.left.size()}).seconds
                             : whole.seconds;
  AtomChoice atoms{.left_seconds = seconds,
                   .atom_seconds = options_.atom_seconds,
                   .most_overhead = options_.most_overhead,
                   .left = task.left.size(),
                   .multiple = task.traits.block_multiple,
                   .wave = std::uint64_t{task.traits.resident_blocks} * place.grain * choice.count};
  if (const auto scaling = predictor_.scaling(key_of(task))) atoms.fixed_seconds = scaling->b;
  return atom_blocks(atoms);
}

// A launch that is known well need not be timed each time. It is timed in one of `timed_batches` requests, and after a
// few untimed ones. Where those have taken another time than was predicted, the next ones are timed too.
bool LithosPolicy::wants_time(const View& view, const TaskView& task, const Place& place, const Choice& choice,
                              std::uint64_t blocks, const Estimate& whole, const QueueBacklog& backlog) {
  if (blocks != task.blocks || slip_of(task.queue->tenant) >= 1) return true;
  if (place.on_host) {
    // The end of the last one that goes now has the policy asked again.
    const std::uint64_t throttle = nanoseconds(options_.throttle_seconds);
    const std::uint64_t end = std::max(backlog.end_ns, view.now_ns) + nanoseconds(whole.seconds);
    return end >= view.now_ns + throttle || backlog.in_a_row >= options_.most_untimed_short ||
           backlog.ranges + 1 >= options_.most_ranges || predictor_.samples(key_of(task)) < options_.timed_samples;
  }
  if (choice.stolen) return true;
  if (const auto doubted = doubted_.find(task.queue->id); doubted != doubted_.end()) {
    if (--doubted->second == 0) doubted_.erase(doubted);
    return true;
  }
  if (whole.source != Estimate::Source::exact || backlog.untimed >= options_.most_untimed) return true;
  if (batches_[task.queue->id] % options_.timed_batches == 0) return true;
  return predictor_.samples(key_of(task)) < options_.timed_samples;
}

static std::size_t in_flight_of(const View& view, const Tenant* tenant) {
  return tenant != nullptr ? tenant->in_flight : view.in_flight.size();
}

void LithosPolicy::consider(const View& view, std::size_t number, std::vector<Decision>& decisions) {
  const TaskView& task = view.ready[number];
  const Place& place = places_[task.place];
  const QueueBacklog& backlog = place.timers->backlog(task.queue->id);
  if (backlog.unknown > 0) return;  // it measures
  const std::size_t of_tenant = in_flight_of(view, task.queue->tenant);
  // The end of one of them asks again.
  if (backlog.ranges >= options_.most_ranges || of_tenant >= options_.most_of_tenant) return;
  const std::uint64_t throttle = nanoseconds(options_.throttle_seconds);
  if (backlog.ranges > 0 && backlog.end_ns >= view.now_ns + throttle)
    return wake_at(view, place, backlog.end_ns - throttle + 1);
  const Choice choice = choose_units(view, task, place);
  if (choice.count == 0) return;
  const Estimate whole = predictor_.predict(key_of(task), {choice.count, task.left.size()});
  if (whole.source == Estimate::Source::unknown) {
    // The first wave measures it.
    const std::uint64_t wave =
        std::uint64_t{choice.count} * place.grain * std::max<std::uint32_t>(task.traits.resident_blocks, 1);
    const std::uint64_t multiple = task.traits.block_multiple;
    const bool cut = task.divisible && options_.atoms && !task.traits.cooperative;
    const std::uint64_t blocks = cut ? (wave + multiple - 1) / multiple * multiple : task.left.size();
    ++counters_.probes;
    return submit(view, number, choice, std::min(blocks, task.left.size()), -1, decisions);
  }
  const std::uint64_t blocks = blocks_of(task, place, choice, whole);
  const double seconds =
      blocks == task.left.size() ? whole.seconds : predictor_.predict(key_of(task), {choice.count, blocks}).seconds;
  submit(view, number, choice, blocks, seconds, decisions);
  decisions.back().timed =
      of_tenant + 1 >= options_.most_of_tenant || wants_time(view, task, place, choice, blocks, whole, backlog);
  if (!decisions.back().timed) partly_timed_.insert(task.queue->id);
}

void LithosPolicy::submit(const View& view, std::size_t number, const Choice& choice, std::uint64_t blocks,
                          double seconds, std::vector<Decision>& decisions) {
  const TaskView& task = view.ready[number];
  const Place& place = places_[task.place];
  // Below the owner's, but above what others have on units that are this tenant's own.
  if (task.ordinal == 0 && task.left.begin == 0) ++batches_[task.queue->id];
  const int priority = (class_of(task) == TenantClass::latency ? 1 : 0) - (choice.stolen ? 1 : 0);
  decisions.push_back({.task = number,
                       .blocks = blocks,
                       .processors = processors_of(choice.set, place.units, place.grain, place.processors),
                       .priority = priority,
                       .predicted_seconds = seconds});
  const bool part = blocks < task.blocks;
  ++counters_.ranges;
  counters_.stolen += choice.stolen ? 1 : 0;
  counters_.atoms += part ? 1 : 0;
  counters_.whole += part ? 0 : 1;
  served_[id_of(task.queue->tenant)] += std::max(seconds, options_.throttle_seconds) * choice.count;
  last_ = {choice.stolen ? "steals" : "own units", task.id, blocks, choice.count, seconds, true};
}

std::vector<Figure> LithosPolicy::figures() const {
  const Counters& c = counters_;
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  return {{"ranges", number(c.ranges)},
          {"stolen ranges", number(c.stolen)},
          {"ranges of a part", number(c.atoms)},
          {"ranges that measured", number(c.probes)},
          {"predictions", number(c.predicted)},
          {"predictions missed", number(c.missed)},
          {"predictions of latency tenants", number(c.latency_predicted)},
          {"predictions of latency tenants missed", number(c.latency_missed)},
          {"unit seconds", c.unit_seconds},
          {"unit seconds without right-sizing", c.unit_seconds_unsized}};
}

void LithosPolicy::queue_removed(std::uint32_t queue) {
  groups_.erase(queue);
  doubted_.erase(queue);
  partly_timed_.erase(queue);
  batches_.erase(queue);
  predictor_.forget(queue);
}

void LithosPolicy::tenant_removed(std::uint32_t tenant) {
  served_.erase(tenant);
  last_end_ns_.erase(tenant);
}

std::string LithosPolicy::explain() const {
  if (!last_.any) return {};
  return fmt::format("task {}: {} blocks on {} units ({}), {:.0f} us predicted", last_.task, last_.blocks, last_.units,
                     last_.why, last_.seconds * 1e6);
}

}  // namespace heddle::sched::lithos
