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
  // A range has ended. Where the ends of others are reported right after, the policy is asked once for all of them.
  static void ended(const std::shared_ptr<Link>& link, std::list<InFlight>::iterator range) {
    const base::Lock alive(link->mutex);
    Dispatcher* const self = link->dispatcher;
    if (self == nullptr) return;
    (link->ranges == 0 ? link->first : link->last->next_ended) = range;
    link->last = range;
    ++link->ranges;
    if (self->watcher_->more_posted() && (link->ranges > 1 || end_later(link, *self->watcher_))) return;
    link->end_ranges();
  }
  // False: there is no memory for it.
  static bool end_later(const std::shared_ptr<Link>& link, base::Watcher& watcher) {
    try {
      watcher.post([link] {
        const base::Lock alive(link->mutex);
        if (link->dispatcher != nullptr && link->ranges > 0) link->end_ranges();
      });
    } catch (const std::exception&) {
      return false;
    }
    return true;
  }
  void end_ranges() HEDDLE_REQUIRES(mutex) {
    const base::Lock lock(dispatcher->mutex_);
    for (std::size_t left = std::exchange(ranges, 0); left > 0; --left)
      dispatcher->range_done(std::exchange(first, first->next_ended));
    dispatcher->dispatch_after_ends();
  }
  // Ranges that have ended, of which the dispatcher does not know yet: a list, so that no memory is needed.
  std::size_t ranges HEDDLE_GUARDED_BY(mutex) = 0;
  std::list<InFlight>::iterator first HEDDLE_GUARDED_BY(mutex), last HEDDLE_GUARDED_BY(mutex);
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
    devices_.push_back({.processors = device.processors,
                        .grain = device.grain,
                        .set_units = device.set_units,
                        .on_host = device.on_host,
                        .corun = device.corun});
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
  policy_->tenant_removed(tenant.id);
  std::erase(tenant_views_, &tenant);
  tenants_.remove_if([&](const Tenant& other) { return &other == &tenant; });
}

void Dispatcher::remove_queue(LaunchQueue& queue) {
  queue.removed = true;
  if (queue.in_flight == 0) forget(queue);
}

void Dispatcher::forget(const LaunchQueue& queue) noexcept {
  log_.remove_queue(queue.id);
  const auto is_it = [&](const LaunchQueue& other) { return &other == &queue; };
  const auto at = std::find_if(queues_.begin(), queues_.end(), is_it);
  if (queue.used) return gone_.splice(gone_.end(), queues_, at);
  policy_->queue_removed(queue.id);  // streams that launch nothing may come and go without another call of decide()
  queues_.erase(at);
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
  if (task.parents.empty()) {
    set_ready(task);
    return dispatch();
  }
  // The policy sees nothing new, unless the parents are required from now on, or the tenant has had no work until now.
  const Tenant* const tenant = task.queue->tenant;
  const bool wakes = tenant != nullptr && tenant->held == 1 && tenant->in_flight == 0;
  const bool required = std::any_of(task.parents.begin(), task.parents.end(), [](auto* p) { return p->required; });
  if (wakes || required) return dispatch();
  policy_->load(tasks_.size() - turns_.tasks, in_flight_.size());
}

void Dispatcher::set_ready(HeldTask& task) {
  task.state = TaskState::ready;
  if (task.queue == &turns_) {  // its thread goes on
    if (task.awaited) changed_.notify_all();
    return;
  }
  (task.work->governed() ? ready_governed_ : ready_others_).insert(std::move(task.ready_place));
}

std::shared_ptr<HeldTask> Dispatcher::hold(LaunchQueue& queue, std::unique_ptr<Work> work,
                                           std::span<const graph::Access> accesses) {
  auto task = put_in_order(queue, std::move(work), accesses);
  added(*task);
  return task;
}

std::shared_ptr<HeldTask> Dispatcher::put_in_order(LaunchQueue& queue, std::unique_ptr<Work> work,
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
  policy_->load(tasks_.size() - turns_.tasks, in_flight_.size());
}

// Most ends of short ranges are no reason to show the policy everything. What waits for memory, or for its arrays, may
// have it now.
void Dispatcher::dispatch_after_ends() noexcept {
  const bool is_later = shows_all_ready_ && !in_flight_.empty() && in_flight_.back().end != nullptr;
  if (!dispatching_ && is_later && policy_->has_enough_in_flight())
    policy_->load(tasks_.size() - turns_.tasks, in_flight_.size());
  else
    dispatch();
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
  for (const LaunchQueue& queue : gone_) policy_->queue_removed(queue.id);
  gone_.clear();
  if (decisions_.empty()) set_timer(now);
  if (base::logger()->should_log(spdlog::level::debug))
    if (const std::string why = policy_->explain(); !why.empty()) base::log_debug("policy: {}", why);
  bool any = false, changed = false;
  for (const Decision& decision : decisions_) {
    if (decision.task >= ready_.size()) continue;
    HeldTask* const task = ready_[decision.task];
    if (task == nullptr) continue;  // all of it is submitted
    any = true;
    if (!submit(*task, decision)) continue;
    changed = true;
    ready_[decision.task] = nullptr;
  }
  if (!any || changed || !policy_->decides_all()) return any;
  set_timer(now);
  return false;
}

void Dispatcher::set_timer(const View& now) {
  const auto wake = policy_->wake_ns(now);
  if (timer_ != 0 && wake && *wake == timer_ns_) return;
  if (timer_ != 0) watcher_->cancel(timer_);
  timer_ = 0;
  if (!wake) return;
  timer_ns_ = *wake;
  timer_ = watcher_->at(*wake, [link = link_, at = *wake] {
    link->run([at](Dispatcher& self) {
      if (self.timer_ns_ == at) self.timer_ = 0;  // it has run
      self.dispatch();
    });
  });
}

// Where the policy submits nothing of what is waited for, and nothing is in flight whose end would have it asked again.
// Ranges without an event end with a later one of their queue, which may be what it holds back: then the oldest goes.
bool Dispatcher::force_required() {
  if (policy_->withholds()) return false;
  const bool stalled = !in_flight_.empty();
  if (stalled && (timer_ != 0 || std::any_of(in_flight_.rbegin(), in_flight_.rend(),
                                             [](const InFlight& range) { return range.end != nullptr; })))
    return false;
  for (const auto& [id, task] : ready_governed_) {
    const bool goes = task->required || (stalled && !task->queue->suspended);
    if (!goes || task->waits_for_memory || !task->work->is_ready()) continue;
    base::log_debug("task {} ({}) is submitted without the policy, since {}", id, task->work->name(),
                    task->required ? "a thread waits for it" : "nothing else would ever be");
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

// Counts as submitted when it has run. Returns false if it has already, or there is no memory to learn of it.
bool Dispatcher::submitted_later(HeldTask& task, const std::shared_ptr<device::Event>& end) noexcept {
  try {
    const auto point = end->point();
    const auto run = [link = link_, keep = *task.place_in_list, end] {
      link->run([&](Dispatcher& self) {
        self.submitted(*keep);
        self.dispatch();
      });
    };
    if (!point || !point->on_done(run)) return false;
  } catch (const std::exception& error) {
    base::log_debug("work behind a function of the host does not wait for it: {}", error.what());
    return false;
  }
  ready_others_.erase(task.id);  // it must not be submitted again
  return true;
}

// Returns false if it has ended already.
bool Dispatcher::report_end(std::list<InFlight>::iterator at) {
  const auto point = at->end->point();
  return point && point->on_done([link = link_, at] { Link::ended(link, at); });
}

}  // namespace heddle::sched
