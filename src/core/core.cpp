#include "core/core.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "core/node_tenant.hpp"
#include "sched/make_policy.hpp"

namespace heddle::core {
namespace {

std::vector<device::Device*> pointers(const std::vector<std::unique_ptr<device::Device>>& devices) {
  std::vector<device::Device*> all;
  for (const auto& device : devices) all.push_back(device.get());
  return all;
}

// TPCs of GPUs have two SMs.
unsigned processors_of_unit(const device::DeviceInfo& info) { return info.capability > 0 ? 2 : 1; }

unsigned units_of(const device::DeviceInfo& info) {
  const unsigned grain = processors_of_unit(info);
  return (info.processors + grain - 1) / grain;
}

void note_on_policy(const std::string& policy, const device::DeviceInfo& info) {
  const std::string note = sched::note_on_policy(policy, info.id, units_of(info));
  if (!note.empty()) base::log_warn_once(note);
}

}  // namespace

Core::Core(std::vector<std::unique_ptr<device::Device>> devices, CoreOptions options)
    : watcher_(std::move(options.watcher)),
      trace_(std::move(options.trace)),
      devices_(std::move(devices)),
      check_(options.check),
      on_finding_(std::move(options.on_finding)),
      node_(std::move(options.node)),
      slice_(options.slice),
      ranges_(options.ranges),
      partitions_(devices_.size()),
      links_(pointers(devices_), watcher_->clock()),
      pinned_(devices_.size()),
      dedicated_queues_(devices_.size()) {
  const Scheduling& policy = options.scheduling;
  for (const auto& device : devices_) {
    if (trace_) trace_->name_device(device->info().id, device->info().name);
    verifies_.push_back(check_.memory || device->info().verifies);
  }
  scheduler_ = std::make_unique<sched::Scheduler>(pointers(devices_), policy, mutex_, trace_.get());
  early_ = std::make_unique<sched::EarlyStarts>(*scheduler_, pinned_, !check_.memory);
  const auto known_links = [this] { return links_.known(); };
  transfers_ = std::make_unique<sched::Transfers>(*scheduler_, *early_, known_links);
  memory_ = std::make_unique<sched::MemoryManager>(*scheduler_, *transfers_, pinned_, memory_options(options));
  placer_ = sched::Placer::make(*scheduler_, pinned_, known_links);
  // A trace shows each launch, which a graph does not report.
  auto managed = sched::make_policy(options.policy);
  if (node_) {
    managed =
        std::make_unique<sched::GrantedPolicy>(managed ? std::move(managed) : sched::make_policy("lithos"), node_);
  } else {
    for (const auto& device : devices_) note_on_policy(options.policy, device->info());
  }
  const bool replays =
      policy.replay && policy.execution == Scheduling::Execution::async && !trace_ && managed == nullptr;
  replayer_ = std::make_unique<sched::Replayer>(*scheduler_, *transfers_, pinned_, changes_, mutex_, watcher_, replays);
  if (managed) start_dispatcher(std::move(managed));
  direct_ = find_direct();
}

bool Core::find_direct() const {
  const Scheduling& policy = scheduler_->policy();
  return !dispatcher_ && !placer_ && policy.execution == Scheduling::Execution::async && policy.prefetch &&
         policy.dependences == Scheduling::Dependences::with_const &&
         std::find(verifies_.begin(), verifies_.end(), true) == verifies_.end();
}

sched::MemoryManager::Options Core::memory_options(const CoreOptions& options) {
  sched::MemoryManager::Options made;
  const std::uint64_t budget = options.memory_budget != 0 ? options.memory_budget : memory::Registry::unlimited;
  made.budgets.assign(devices_.size(), budget);
  made.budgets.push_back(memory::Registry::unlimited);  // the host's memory
  made.guarded = verifies_;
  made.guarded.push_back(check_.memory);
  made.wait_for_users = [this](base::Lock& lock) {
    if (dispatcher_ && dispatcher_->finish_divided(lock)) return;
    calls_.wait_for_one(lock);
  };
  made.submit_held = [this] { replayer_->flush_others(); };
  return made;
}

// A device with another number of units than the node's has the same part of its own, as in sched::GrantedPolicy.
unsigned Core::own_processors(std::size_t place) const {
  const device::DeviceInfo& info = device(place).info();
  const auto own = node_ ? node_->own() : std::nullopt;
  if (!own) return info.processors;
  const unsigned grain = processors_of_unit(info), units = units_of(info);
  const auto mine = static_cast<unsigned>(std::uint64_t{own->units} * units / own->of_units);
  return std::min(std::max(mine, 1u) * grain, info.processors);
}

void Core::start_dispatcher(std::unique_ptr<sched::Policy> policy) {
  std::vector<sched::Dispatcher::Device> devices;
  for (const auto& device : devices_) {
    const bool gpu = device->info().capability > 0;
    constexpr unsigned units_of_sets = 8;  // a GPU takes milliseconds to make a partition
    devices.push_back({.processors = device->info().processors,
                       .grain = processors_of_unit(device->info()),
                       .set_units = gpu && !device->info().simulated ? units_of_sets : 1,
                       .on_host = !gpu,
                       .own_clock = gpu && !device->info().simulated});
  }
  const auto find = [this](std::size_t place, const std::vector<unsigned>& processors) {
    return &partition(place, processors);
  };
  dispatcher_ = std::make_unique<sched::Dispatcher>(std::move(policy), devices, find, mutex_, watcher_);
  // What the process is granted is its own: it has a quota among the tenants of the node, not here.
  if (node_)
    own_tenant_ =
        &dispatcher_->add_tenant({.name = node_->settings().name, .kind = node_->settings().kind, .quota = 1});
  launch_queue_ = &dispatcher_->add_queue("launches", 0, own_tenant_);
}

graph::ObjectId Core::logical_object(memory::Array& array) {
  if (!array.logical) array.logical = dispatcher_->dag().add_object(std::max<std::size_t>(array.bytes(), 1));
  return *array.logical;
}

bool Core::is_held(const memory::Array& array, graph::Mode mode, std::uint64_t begin, std::uint64_t end) const {
  return dispatcher_ && array.logical && !dispatcher_->hazards({*array.logical, mode, begin, end}).empty();
}

void Core::wait_until_all_submitted(base::Lock& lock) {
  do {
    calls_.wait_for_all(lock);
    if (dispatcher_) dispatcher_->wait_until_all_submitted(lock);
  } while (!calls_.none());
}

void Core::wait_until_submitted(memory::Array& array, graph::Mode mode, std::uint64_t begin, std::uint64_t end,
                                base::Lock& lock) {
  memory::Array* const arrays[] = {&array};
  for (;;) {
    calls_.wait(lock, arrays);
    if (!dispatcher_ || !array.logical) return;
    const auto held = dispatcher_->hazards({*array.logical, mode, begin, end});
    if (held.empty()) return;
    dispatcher_->wait_until_submitted(held, lock);
  }
}

std::vector<device::Device*> Core::devices() const { return pointers(devices_); }

void Core::mark_backlog() {
  sched::Backlog::Mark mark;
  {
    const base::Lock lock(mutex());
    const sched::Tracker& tracker = scheduler_->tracker();
    for (const sched::InFlight& work : tracker.in_flight(tracker.last_tasks()))
      if (auto point = work.end ? work.end->point() : nullptr) mark.push_back(std::move(point));
  }
  backlog_.add(std::move(mark));
  if (backlog_.full()) backlog_.wait_for_room();
}

bool Core::idle() {
  const base::Lock lock(mutex());
  return scheduler_->dag().active() == 0;
}

void Core::synchronize() {
  std::exception_ptr failure;
  {
    base::Lock lock(mutex());
    wait_until_all_submitted(lock);
    replayer_->flush();
    if (dispatcher_) failure = dispatcher_->take_failure();
  }
  scheduler_->synchronize();
  if (dispatcher_) {
    const base::Lock lock(mutex());
    dispatcher_->begin_batches();
  }
  if (failure) std::rethrow_exception(failure);
}

Core::~Core() {
  try {
    synchronize();
  } catch (const Error& error) {
    base::log_warn("an error that nobody asked for: {}", error.what());
  }
}

std::size_t Core::find_named(std::string_view id) const {
  std::string there;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const std::string& candidate = devices_[i]->info().id;
    if (candidate == id) return i;
    there += (there.empty() ? "" : ", ") + candidate;
  }
  base::fail(ErrorCode::not_found, "this runtime has no device '{}'; it has {}", id, there);
}

const device::Partition& Core::partition(std::size_t place, const std::vector<unsigned>& processors) {
  const base::Lock lock(partitions_mutex_);
  auto found = partitions_[place].find(processors);
  if (found == partitions_[place].end())
    found = partitions_[place].emplace(processors, devices_[place]->partition({processors})).first;
  return *found->second;
}

}  // namespace heddle::core
