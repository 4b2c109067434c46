#include "sched/dispatcher.hpp"

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::sched {

struct Dispatcher::Link {
  explicit Link(Dispatcher* its_dispatcher) : dispatcher(its_dispatcher) {}
  base::Mutex mutex;  // taken before the core's lock
  Dispatcher* dispatcher HEDDLE_GUARDED_BY(mutex);
  // Runs f(dispatcher) with the core's lock, while the dispatcher is there.
  template <class F>
  void run(F&& f) {
    const base::Lock alive(mutex);
    if (dispatcher == nullptr) return;
    const base::Lock lock(dispatcher->mutex_);
    f(*dispatcher);
  }
};

Dispatcher::Dispatcher(std::unique_ptr<Policy> policy, const std::vector<Device>& devices, FindPartition partition,
                       base::Mutex& mutex, std::shared_ptr<base::Watcher> watcher)
    : policy_(std::move(policy)),
      partition_(std::move(partition)),
      mutex_(mutex),
      watcher_(std::move(watcher)),
      link_(std::make_shared<Link>(this)),
      last_end_ns_(devices.size()) {
  for (const Device& device : devices) {
    clocks_.emplace_back(device.own_clock ? std::optional(ClockAlignment()) : std::nullopt);
    devices_.push_back(
        {.processors = device.processors, .grain = device.grain, .set_units = device.set_units, .corun = device.corun});
  }
}

Dispatcher::~Dispatcher() {
  const base::Lock alive(link_->mutex);
  link_->dispatcher = nullptr;
}

LaunchQueue& Dispatcher::add_queue(std::string name, int priority, Tenant* tenant) {
  log_.add_queue(queues_made_);
  return queues_.emplace_back(
      LaunchQueue{.id = queues_made_++, .name = std::move(name), .priority = priority, .tenant = tenant});
}

Tenant& Dispatcher::add_tenant(TenantSettings settings) {
  ++tenants_version_;
  Tenant& tenant = tenants_.emplace_back(Tenant{tenants_made_++, std::move(settings)});
  tenant_views_.push_back(&tenant);
  return tenant;
}

void Dispatcher::set_tenant(Tenant& tenant, TenantSettings settings) {
  ++tenants_version_;
  tenant.settings = std::move(settings);
  dispatch();
}

void Dispatcher::remove_tenant(Tenant& tenant) {
  ++tenants_version_;
  log_.forget(tenant);
  std::erase(tenant_views_, &tenant);
  tenants_.remove_if([&](const Tenant& other) { return &other == &tenant; });
}

void Dispatcher::remove_queue(LaunchQueue& queue) {
  log_.remove_queue(queue.id);
  queues_.remove_if([&](const LaunchQueue& other) { return &other == &queue; });
}

void Dispatcher::set_suspended(LaunchQueue& queue, bool suspended) {
  if (queue.suspended == suspended) return;
  queue.suspended = suspended;
  if (suspended) end_untimed(queue, in_flight_.end(), watcher_->clock().now_ns());  // it may be long until a later one
  // What its tasks, or others, now wait for must not stay held.
  for (const auto& task : tasks_) require_parents_of(*task);
  dispatch();
}

std::shared_ptr<HeldTask> Dispatcher::add(LaunchQueue& queue, std::unique_ptr<Work> work) {
  auto task = std::make_shared<HeldTask>();
  task->id = made_ + 1;
  ReadyTasks place;
  place.emplace(task->id, task.get());
  task->ready_place = place.extract(place.begin());
  task->left = work->blocks();
  task->work = std::move(work);
  task->queue = &queue;
  tasks_.push_back(task);
  task->place_in_list = std::prev(tasks_.end());
  ++made_;
  ++queue.tasks;
  if (queue.tenant) ++queue.tenant->held;
  if (task->work->governed()) task->ordinal = queue.launches++;
  task->held_ns = watcher_->clock().now_ns();
  return task;
}

// All of them or none.
void Dispatcher::depend(HeldTask& task, std::span<HeldTask* const> parents) {
  try {
    for (HeldTask* const parent : parents) {
      if (parent == nullptr || parent->state >= TaskState::submitted) continue;
      task.parents.push_back(parent);
      parent->children.push_back(&task);
    }
  } catch (...) {
    for (HeldTask* const parent : task.parents)
      if (!parent->children.empty() && parent->children.back() == &task) parent->children.pop_back();
    task.parents.clear();
    throw;
  }
}

void Dispatcher::remove(HeldTask& task) {
  if (task.logical.id != 0) dag_.finish(task.logical);
  --task.queue->tasks;
  if (task.queue->tenant) --task.queue->tenant->held;
  tasks_.erase(task.place_in_list);
}

void Dispatcher::added(HeldTask& task) {
  require_parents_of(task);
  if (task.parents.empty()) set_ready(task);
  dispatch();
}

void Dispatcher::set_ready(HeldTask& task) {
  task.state = TaskState::ready;
  (task.work->governed() ? ready_governed_ : ready_others_).insert(std::move(task.ready_place));
}

std::shared_ptr<HeldTask> Dispatcher::hold(LaunchQueue& queue, std::unique_ptr<Work> work,
                                           std::span<const graph::Access> accesses) {
  auto task = add(queue, std::move(work));
  try {
    if (by_slot_.size() <= dag_.slots()) by_slot_.resize(2 * dag_.slots());
    dag_.append(task->logical, accesses);
    graph::Task& logical = dag_[task->logical];
    // The DAG takes tasks of one queue to run in order, which held tasks do not.
    logical.queue = task->logical.slot;
    by_slot_[task->logical.slot] = task.get();
    boost::container::small_vector<HeldTask*, 8> parents;
    for (const graph::TaskRef& parent : logical.parents) parents.push_back(by_slot_[parent.slot]);
    depend(*task, {parents.data(), parents.size()});
  } catch (...) {
    // Later tasks may find it in the DAG in the place of earlier ones. So it waits for all of these.
    if (task->logical.id != 0) by_slot_[task->logical.slot] = task.get();
    task->abandoned = true;
    for (const auto& held : tasks_) held->required = true;
    dispatch();
    throw;
  }
  added(*task);
  return task;
}

std::shared_ptr<HeldTask> Dispatcher::hold_after(LaunchQueue& queue, std::unique_ptr<Work> work,
                                                 std::span<const std::shared_ptr<HeldTask>> parents) {
  auto task = add(queue, std::move(work));
  try {
    boost::container::small_vector<HeldTask*, 8> all;
    for (const auto& parent : parents) all.push_back(parent.get());
    depend(*task, {all.data(), all.size()});
  } catch (...) {
    remove(*task);
    throw;
  }
  added(*task);
  return task;
}

std::vector<std::shared_ptr<HeldTask>> Dispatcher::hazards(const graph::Access& access) const {
  std::vector<std::shared_ptr<HeldTask>> found;
  for (const graph::TaskRef& task : dag_.hazards(access)) found.push_back(*by_slot_[task.slot]->place_in_list);
  return found;
}

// Not by recursion: chains of tasks are as long as the program makes them. Without memory: destructors wait too.
void Dispatcher::require(HeldTask& task) {
  if (task.required) return;
  task.required = true;
  HeldTask* open = &task;
  while (open != nullptr) {
    const HeldTask& next = *open;
    open = std::exchange(open->next_required, nullptr);
    for (HeldTask* const parent : next.parents) {
      if (parent->required) continue;
      parent->required = true;
      parent->next_required = std::exchange(open, parent);
    }
  }
}

// A task of a queue that is not suspended must not wait for one that is.
void Dispatcher::require_parents_of(HeldTask& task) {
  if (task.queue->suspended && !task.required) return;
  for (HeldTask* const parent : task.parents)
    if (task.required || parent->queue->suspended) require(*parent);
}

// What is submitted may complete at once, and then the policy is asked again. Where it cannot be asked, as it throws or
// there is no memory to show it anything, it is asked again when something in flight ends.
void Dispatcher::dispatch() noexcept {
  again_ = true;
  if (dispatching_) return;
  dispatching_ = true;
  while (std::exchange(again_, false)) {
    try {
      while (remove_abandoned() || submit_ungoverned() || ask_policy()) {
      }
      if (force_required()) again_ = true;
    } catch (...) {
      if (std::none_of(in_flight_.begin(), in_flight_.end(),
                       [](const InFlight& range) { return range.end != nullptr; }))
        submit_one_without_policy();
    }
  }
  dispatching_ = false;
  policy_->load(tasks_.size(), in_flight_.size());
}

// What becomes ready by that goes as well.
bool Dispatcher::submit_ungoverned() {
  bool any = false;
  for (auto at = ready_others_.begin(); at != ready_others_.end();) {
    HeldTask& task = *at->second;
    if (task.queue->suspended && !task.required) {
      ++at;
      continue;
    }
    const std::uint64_t id = task.id;
    submit(task, {});
    any = true;
    at = ready_others_.lower_bound(id);
  }
  return any;
}

void Dispatcher::find_ready() {
  ready_.clear();
  for (auto at = ready_governed_.begin(); at != ready_governed_.end() && ready_.size() < most_shown;) {
    HeldTask& task = *(at++)->second;
    if (task.waits_for_memory) continue;
    if (task.queue->suspended && !task.required) continue;
    if (task.work->is_ready())
      ready_.push_back(&task);
    else if (!making_ready_)
      make_ready(task);
  }
}

View Dispatcher::view() {
  queue_views_.clear();
  queue_views_.reserve(ready_.size());
  views_.clear();
  for (HeldTask* const task : ready_) {
    const LaunchQueue& queue = *task->queue;
    queue_views_.push_back({queue.id, queue.name, queue.priority, queue.suspended, queue.tenant});
    views_.push_back({.id = task->id,
                      .name = task->work->name(),
                      .queue = &queue_views_.back(),
                      .place = task->work->place(),
                      .left = task->left,
                      .blocks = task->work->blocks().size(),
                      .divisible = task->work->divisible(),
                      .required = task->required,
                      .seconds_per_block = task->work->seconds_per_block(),
                      .traits = task->work->traits(),
                      .corun = task->work->corun(),
                      .ordinal = task->ordinal,
                      .held_ns = task->held_ns});
  }
  View made{watcher_->clock().now_ns(), views_, devices_, tenant_views_, tenants_version_};
  if (policy_->sees_ranges()) log_.show(made);
  return made;
}

bool Dispatcher::ask_policy() {
  find_ready();
  if (ready_.empty()) return false;
  const View now = view();
  decisions_.clear();
  try {
    policy_->decide(now, decisions_);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    base::log_error("the scheduling policy failed, and tasks are submitted without it meanwhile: {}", error.what());
    throw;
  }
  log_.shown();
  if (decisions_.empty()) set_timer(now);
  if (base::logger()->should_log(spdlog::level::debug))
    if (const std::string why = policy_->explain(); !why.empty()) base::log_debug("policy: {}", why);
  bool any = false;
  for (const Decision& decision : decisions_) {
    if (decision.task >= ready_.size()) continue;
    HeldTask* const task = ready_[decision.task];
    if (task == nullptr) continue;  // all of it is submitted
    any = true;
    if (submit(*task, decision)) ready_[decision.task] = nullptr;
  }
  return any;
}

void Dispatcher::set_timer(const View& now) {
  const auto wake = policy_->wake_ns(now);
  if (timer_ != 0) watcher_->cancel(timer_);
  timer_ = 0;
  if (!wake) return;
  timer_ = watcher_->at(*wake, [link = link_] { link->run([](Dispatcher& self) { self.dispatch(); }); });
}

// Where the policy submits nothing of what is waited for, and nothing is in flight whose end would have it asked again.
bool Dispatcher::force_required() {
  if (!in_flight_.empty() || policy_->withholds()) return false;
  for (const auto& [id, task] : ready_governed_) {
    if (!task->required || task->waits_for_memory || !task->work->is_ready()) continue;
    base::log_debug("task {} ({}) is submitted without the policy, since a thread waits for it", id,
                    task->work->name());
    submit(*task, {});
    return true;
  }
  return false;
}

// The oldest that can be. What would first need memory fails.
void Dispatcher::submit_one_without_policy() {
  for (const auto& [id, task] : ready_governed_) {
    if (task->waits_for_memory || (task->queue->suspended && !task->required)) continue;
    try {
      if (!task->work->is_ready()) throw std::bad_alloc();
    } catch (...) {
      return failed(*task, std::current_exception());
    }
    submit(*task, {});
    return;
  }
}

bool Dispatcher::remove_abandoned() {
  if (tasks_.empty() || !tasks_.front()->abandoned) return false;
  submitted(*tasks_.front());
  return true;
}

// Memory has to be found, for which others may have to be evicted, or kernels to be compiled.
void Dispatcher::make_ready(HeldTask& task) {
  task.waits_for_memory = making_ready_ = true;
  const std::shared_ptr<HeldTask> shared = *task.place_in_list;
  const auto work = [link = link_, shared] {
    std::exception_ptr failure;
    try {
      shared->work->make_ready();
    } catch (...) {
      failure = std::current_exception();
    }
    link->run([&](Dispatcher& self) {
      shared->waits_for_memory = self.making_ready_ = false;
      if (failure) self.failed(*shared, failure);
      self.dispatch();
    });
  };
  try {
    threads_.run(work);
  } catch (...) {
    making_ready_ = false;
    failed(task, std::current_exception());
  }
}

// Whether another launch of its queue is held that runs after it.
static bool is_followed(const HeldTask& task) {
  return task.work->in_order() && !task.queue->suspended &&
         std::any_of(task.children.begin(), task.children.end(),
                     [&](const HeldTask* child) { return child->queue == task.queue && child->work->governed(); });
}

// The end of the first so many blocks, and of what completes their last cluster.
static std::uint64_t end_of_clusters(const BlockRange& range, std::uint64_t blocks, std::uint64_t multiple) {
  const std::uint64_t end = range.begin + blocks;
  return std::min(range.end, multiple > 1 ? (end + multiple - 1) / multiple * multiple : end);
}

bool Dispatcher::submit(HeldTask& task, const Decision& decision) {
  const std::vector<unsigned>& processors = decision.processors;
  const std::shared_ptr<HeldTask> keep = *task.place_in_list;
  Work& work = *task.work;
  BlockRange range = task.left;
  if (decision.blocks != 0 && decision.blocks < range.size() && work.divisible())
    range.end = end_of_clusters(range, decision.blocks, work.traits().block_multiple);
  const bool last = range.end == task.left.end;
  std::list<InFlight> tracked;
  try {
    const device::Partition* const partition = processors.empty() ? nullptr : partition_(work.place(), processors);
    if (decision.priority != task.priority) work.set_priority(task.priority = decision.priority);
    if (work.governed())
      prepare(tracked, task, range, decision, decision.timed || !is_followed(task) ? work.take_event() : nullptr);
    work.submit(range, last, partition, tracked.empty() ? nullptr : tracked.front().end.get());
  } catch (...) {
    if (!tracked.empty() && tracked.front().entry) log_.remove(*tracked.front().entry);
    failed(task, std::current_exception());
    return true;
  }
  task.left.begin = range.end;
  if (!tracked.empty()) track(task, tracked);
  if (last) submitted(task);
  return last;
}

void Dispatcher::failed(HeldTask& task, const std::exception_ptr& failure) {
  end_untimed(*task.queue, in_flight_.end(), watcher_->clock().now_ns());  // no later range will
  task.failure = failure;
  if (!failure_) failure_ = failure;
  task.work->failed(failure);
  submitted(task);
}

void Dispatcher::submitted(HeldTask& task) {
  const std::shared_ptr<HeldTask> keep = *task.place_in_list;
  if (task.state == TaskState::ready) (task.work->governed() ? ready_governed_ : ready_others_).erase(task.id);
  task.state = task.ranges == 0 ? TaskState::done : TaskState::submitted;
  for (HeldTask* const child : task.children) {
    auto& parents = child->parents;
    parents.erase(std::remove(parents.begin(), parents.end(), &task), parents.end());
    if (parents.empty() && child->state == TaskState::held) set_ready(*child);
  }
  task.children.clear();
  remove(task);
  again_ = true;
  changed_.notify_all();
}

// Returns false if it has ended already.
bool Dispatcher::report_end(std::list<InFlight>::iterator at) {
  const auto point = at->end->point();
  return point && point->on_done([link = link_, at] {
    link->run([&](Dispatcher& self) {
      self.range_done(at);
      self.dispatch();
    });
  });
}

}  // namespace heddle::sched
