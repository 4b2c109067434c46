#include "sched/early_start.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"

namespace heddle::sched {
namespace {

bool contains(std::span<const graph::TaskRef> tasks, graph::TaskRef task) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

// An array of so many bytes or more, some of which must be copied.
bool is_missing(const ArrayUse& use, std::size_t place, std::size_t least) {
  return use.end - use.begin >= least &&
         !use.array->is_there(static_cast<memory::Space>(place), use.begin, use.end, graph::Mode::read);
}

void log_change(EarlyGain& gain, const LaunchedKernel& kernel, bool early) {
  if (gain.was_early == early) return;
  gain.was_early = early;
  base::log_debug("kernel {} starts {} its arrays: {}", kernel.name(),
                  early ? "beside the copies of" : "after the copies of", gain.text());
}

}  // namespace

bool EarlyStarts::cannot_be_held_up(graph::TaskRef task) const {
  return scheduler_.dag().finished(task) || contains(free_, task);
}

std::optional<std::size_t> EarlyStarts::parents_known(graph::TaskRef task) {
  graph::Dag& dag = scheduler_.dag();
  Place& place = places_[place_];
  std::erase_if(free_, [&](graph::TaskRef other) { return dag.finished(other); });
  std::erase_if(place.held_up, [&](graph::TaskRef copy) { return dag.finished(copy); });
  const graph::TaskRefs& parents = dag[task].parents;
  // Copies of one direction may share a channel of the device, so that one which waits holds up those after it.
  unhindered_ = (!copies_ || place.held_up.empty()) &&
                std::all_of(parents.begin(), parents.end(), [&](graph::TaskRef p) { return cannot_be_held_up(p); });
  // Copies that report have queues of their own, one for each of a launch's arrays: they are submitted long before what
  // comes after them runs, and queues of the device share what NVIDIA calls connections (CUDA_DEVICE_MAX_CONNECTIONS),
  // in which one that waits holds up the other.
  if (!reports_ || !unhindered_) return std::nullopt;
  return place.current.size() % most_dedicated_queues;
}

void EarlyStarts::queue_known(graph::TaskRef task, graph::TaskRef before) {
  if (unhindered_ && (before.id == 0 || cannot_be_held_up(before)))
    free_.push_back(task);
  else if (copies_)
    places_[place_].held_up.push_back(task);
}

SubmissionHook* EarlyStarts::hook_for_launch(std::size_t place) {
  place_ = place;
  copies_ = reports_ = false;
  return this;
}

graph::TaskRef EarlyStarts::copy(std::size_t number, std::span<const graph::Access> accesses, const device::Span& to,
                                 const device::Span& from, CopyPurpose purpose, bool from_host) {
  Place& place = places_[number];
  std::shared_ptr<device::ProgressFlag> flag;
  if (purpose == CopyPurpose::reporting && from_host) flag = scheduler_.device(number).progress_flag();
  place_ = number;
  copies_ = true;
  reports_ = flag != nullptr;
  Submission submission{.timed = purpose != CopyPurpose::before, .hook = this, .keep = flag};
  const std::function<void(device::Queue&)> milestone = [&](device::Queue& queue) {
    queue.begin_progress(*flag, to.address);
  };
  if (flag) {
    // One launch's copies after the other's: pieces of all would take turns on the link, and all would arrive late. So
    // no kernel starts to wait for one before it has begun to arrive.
    submission.also_after = place.previous;
    submission.milestone = &milestone;
  }
  const graph::TaskRef task = scheduler_.submit(
      number, accesses,
      [&](device::Queue& queue) {
        if (flag)
          queue.copy_with_progress(to, from, *flag);
        else
          queue.copy(to, from);
      },
      submission);
  scheduler_.dag()[task].is_move = true;
  if (!flag) return task;
  place.current.push_back(task);
  std::erase_if(reporting_, [this](const Reporting& other) { return scheduler_.dag().finished(other.copy); });
  reporting_.push_back({task, std::move(flag)});
  return task;
}

void EarlyStarts::begin_launch(std::size_t number) {
  Place& place = places_[number];
  if (place.current.empty()) return;
  place.previous.swap(place.current);
  place.current.clear();
}

std::shared_ptr<device::ProgressFlag> EarlyStarts::flag_of(graph::TaskRef copy) const {
  if (scheduler_.dag().finished(copy) || !contains(free_, copy)) return nullptr;
  for (const Reporting& reporting : reporting_)
    if (reporting.copy == copy) return reporting.flag;
  return nullptr;
}

const std::shared_ptr<device::ProgressFlag>& EarlyStarts::arrived(std::size_t number) {
  Place& place = places_[number];
  if (!place.arrived && place.can_report) {
    place.arrived = scheduler_.device(number).progress_flag();
    place.can_report = place.arrived != nullptr;
  }
  return place.arrived;
}

void EarlyStarts::add_sample(std::size_t number, std::shared_ptr<const EarlySample> sample) {
  auto& samples = places_[number].samples;
  if (samples.size() == most_samples) samples.erase(samples.begin());
  samples.push_back(std::move(sample));
}

bool EarlyStarts::may_apply(const BoundLaunch& launch) {
  const Scheduling& policy = scheduler_.policy();
  const std::size_t least = policy.early_start_bytes;
  return on_ && least > 0 && policy.execution == Scheduling::Execution::async && policy.prefetch && !launch.opaque &&
         !launch.timed && !launch.config.cooperative && launch.whole && launch.processors == nullptr &&
         pinned_.none(launch.place) &&
         std::any_of(launch.arrays.begin(), launch.arrays.end(),
                     [&](const ArrayUse& use) { return is_missing(use, launch.place, least); }) &&
         arrived(launch.place) != nullptr;
}

void EarlyStarts::prepare_form(const BoundLaunch& launch, base::Lock& lock) {
  if (launch.kernel->early_form_known(launch.place) || !may_apply(launch)) return;
  lock.unlock();
  launch.kernel->make_early_form(launch.place);
  lock.lock();
}

EarlyStart EarlyStarts::plan(const BoundLaunch& launch) {
  EarlyStart start;
  EarlyForm* const form = launch.kernel->early_form(launch.place);
  if (form == nullptr || !may_apply(launch)) return start;
  const bool early = form->gain->wanted();
  log_change(*form->gain, *launch.kernel, early);
  const bool measured = form->gain->measures(early);
  if (!early && !measured) return start;
  start.plan_ = std::make_unique<EarlyStart::Plan>(
      EarlyStart::Plan{.starts = this, .scheduler = &scheduler_, .form = form, .early = early, .measured = measured});
  start.plan_->purposes.assign(launch.arrays.size(), CopyPurpose::before);
  for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
    const ArrayUse& use = launch.arrays[i];
    const auto& parameters = form->parameters;
    const bool may_arrive = std::find(parameters.begin(), parameters.end(), use.argument) != parameters.end();
    if (may_arrive && is_missing(use, launch.place, scheduler_.policy().early_start_bytes))
      start.plan_->purposes[i] = early ? CopyPurpose::reporting : CopyPurpose::timed;
  }
  if (early) begin_launch(launch.place);
  return start;
}

void EarlyStart::find_early_parents(const BoundLaunch& launch, std::span<const graph::Access> accesses) {
  Plan& plan = *plan_;
  Scheduler& scheduler = *plan.scheduler;
  const EarlyForm& form = *plan.form;
  graph::Dag& dag = scheduler.dag();
  boost::container::small_vector<graph::TaskRef, 4> copies, others;  // that the kernel waits for itself, or before it
  boost::container::small_vector<graph::TaskRef, 4> copy_of(form.parameters.size());
  plan.flags.assign(form.parameters.size(), plan.starts->arrived(launch.place)->address());
  std::uint64_t bytes = 0;
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    const graph::Access& access = accesses[a];
    if (access.begin >= access.end) continue;
    const auto hazards = dag.hazards({access.object, graph::Mode::read, access.begin, access.end});
    const bool asked = a < launch.arrays.size() && plan.purposes[a] != CopyPurpose::before;
    if (asked && hazards.size() == 1 && !graph::modifies(access.mode) && dag[hazards[0]].is_move) {
      const auto parameter = std::find(form.parameters.begin(), form.parameters.end(), launch.arrays[a].argument);
      copy_of[static_cast<std::size_t>(parameter - form.parameters.begin())] = hazards[0];
      copies.push_back(hazards[0]);
      bytes += access.end - access.begin;
    } else {
      others.insert(others.end(), hazards.begin(), hazards.end());
    }
  }
  // What another argument has to wait for is there when the launch starts.
  const std::span<const graph::TaskRef> waited(others.data(), others.size());
  auto sample = std::make_shared<EarlySample>();
  for (const graph::TaskRef& copy : copies) {
    if (contains(waited, copy)) continue;
    const TaskEvents& events = scheduler.tracker()[copy];
    if (events.start && events.end) sample->copies.push_back({events.start, events.end});
  }
  for (std::size_t i = 0; plan.early && i < copy_of.size(); ++i) {
    if (copy_of[i].id == 0 || contains(waited, copy_of[i])) continue;
    auto flag = plan.starts->flag_of(copy_of[i]);
    if (!flag) continue;
    plan.flags[i] = flag->address();
    if (contains({plan.early_parents.data(), plan.early_parents.size()}, copy_of[i])) continue;
    plan.early_parents.push_back(copy_of[i]);
    plan.kept.push_back(std::move(flag));
  }
  if (sample->copies.empty() || plan.early == plan.early_parents.empty() || !plan.measured) return;
  sample->gain = form.gain;
  sample->early = plan.early;
  sample->bytes = bytes;
  plan.sample = std::move(sample);
}

void EarlyStart::fill_submission(Submission& submission, const BoundLaunch& launch) const {
  if (!plan_->early_parents.empty()) {
    submission.hook = plan_->starts->hook_for_launch(launch.place);
    submission.early_parents = {plan_->early_parents.data(), plan_->early_parents.size()};
    submission.on_finished = nullptr;  // its time would be the copy's
    submission.keep = std::make_shared<std::vector<std::shared_ptr<device::ProgressFlag>>>(plan_->kept);
  }
  if (!plan_->sample) return;
  submission.timed = true;
  plan_->starts->add_sample(launch.place, plan_->sample);
  submission.on_finished = [history = std::move(submission.on_finished), sample = plan_->sample, starts = plan_->starts,
                            place = launch.place](const TaskEvents& events) {
    if (history) history(events);
    sample->finish(*events.start, *events.end, starts->samples(place));
  };
}

std::span<const std::byte> EarlyStart::arguments(std::span<const std::byte> packed) {
  auto& all = plan_->packed;
  all.assign(plan_->form->parameter_bytes, std::byte{0});
  std::copy(packed.begin(), packed.end(), all.begin());
  std::memcpy(all.data() + plan_->form->flags_offset, plan_->flags.data(), plan_->flags.size() * sizeof(std::uint64_t));
  return {all.data(), all.size()};
}

}  // namespace heddle::sched
