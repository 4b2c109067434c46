#include "sched/dispatcher.hpp"

#include <algorithm>

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
  task->id = ++made_;
  task->left = work->blocks();
  task->work = std::move(work);
  task->queue = &queue;
  ++queue.tasks;
  if (queue.tenant) ++queue.tenant->held;
  if (task->work->governed()) task->ordinal = queue.launches++;
  task->held_ns = watcher_->clock().now_ns();
  tasks_.push_back(task);
  task->place_in_list = std::prev(tasks_.end());
  return task;
}

void Dispatcher::depend(HeldTask& task, HeldTask& parent) {
  if (parent.state >= TaskState::submitted) return;
  task.parents.push_back(&parent);
  parent.children.push_back(&task);
}

void Dispatcher::added(HeldTask& task) {
  require_parents_of(task);
  if (task.parents.empty()) set_ready(task);
  dispatch();
}

void Dispatcher::set_ready(HeldTask& task) {
  task.state = TaskState::ready;
  (task.work->governed() ? ready_governed_ : ready_others_).emplace(task.id, &task);
}

std::shared_ptr<HeldTask> Dispatcher::hold(LaunchQueue& queue, std::unique_ptr<Work> work,
                                           std::span<const graph::Access> accesses) {
  auto task = add(queue, std::move(work));
  task->logical = dag_.append(accesses);
  graph::Task& logical = dag_[task->logical];
  // The DAG takes tasks of one queue to run in order, which held tasks do not.
  logical.queue = task->logical.slot;
  if (by_slot_.size() <= task->logical.slot) by_slot_.resize(task->logical.slot + 1);
  by_slot_[task->logical.slot] = task.get();
  for (const graph::TaskRef& parent : logical.parents) depend(*task, *by_slot_[parent.slot]);
  added(*task);
  return task;
}

std::shared_ptr<HeldTask> Dispatcher::hold_after(LaunchQueue& queue, std::unique_ptr<Work> work,
                                                 std::span<const std::shared_ptr<HeldTask>> parents) {
  auto task = add(queue, std::move(work));
  for (const auto& parent : parents)
    if (parent) depend(*task, *parent);
  added(*task);
  return task;
}

std::vector<std::shared_ptr<HeldTask>> Dispatcher::hazards(const graph::Access& access) const {
  std::vector<std::shared_ptr<HeldTask>> found;
  for (const graph::TaskRef& task : dag_.hazards(access)) found.push_back(*by_slot_[task.slot]->place_in_list);
  return found;
}

// Not by recursion: chains of tasks are as long as the program makes them.
void Dispatcher::require(HeldTask& task) {
  if (task.required) return;
  task.required = true;
  std::vector<HeldTask*> open{&task};
  while (!open.empty()) {
    const HeldTask& next = *open.back();
    open.pop_back();
    for (HeldTask* const parent : next.parents) {
      if (parent->required) continue;
      parent->required = true;
      open.push_back(parent);
    }
  }
}

// A task of a queue that is not suspended must not wait for one that is.
void Dispatcher::require_parents_of(HeldTask& task) {
  if (task.queue->suspended && !task.required) return;
  for (HeldTask* const parent : task.parents)
    if (task.required || parent->queue->suspended) require(*parent);
}

void Dispatcher::wait_until_submitted(std::span<const std::shared_ptr<HeldTask>> tasks, base::Lock& lock) {
  for (const auto& task : tasks) require(*task);
  dispatch();
  // Those before `at` are submitted: there may be tens of thousands, and each wakes this thread.
  changed_.wait(lock.native(), [&, at = tasks.begin()]() mutable {
    at = std::find_if(at, tasks.end(), [](const auto& task) { return task->state < TaskState::submitted; });
    return at == tasks.end();
  });
}

// Others may go on to hold tasks of the queue meanwhile.
void Dispatcher::wait_until_half_is_submitted(LaunchQueue& queue, base::Lock& lock) {
  while (queue.tasks >= most_held) {
    std::shared_ptr<HeldTask> last;
    std::uint64_t counted = 0;
    for (const auto& task : tasks_) {
      if (task->queue != &queue) continue;
      require(*task);
      last = task;
      if (++counted == most_held / 2) break;
    }
    dispatch();
    changed_.wait(lock.native(), [&] { return queue.tasks <= most_held / 2 || last->state >= TaskState::submitted; });
  }
}

void Dispatcher::wait_until_all_submitted(base::Lock& lock) {
  const std::vector<std::shared_ptr<HeldTask>> all(tasks_.begin(), tasks_.end());
  wait_until_submitted(all, lock);
}

bool Dispatcher::finish_divided(base::Lock& lock) {
  for (const auto& task : tasks_) {
    if (task->left.begin == task->work->blocks().begin) continue;
    const std::shared_ptr<HeldTask> divided = task;
    wait_until_submitted({&divided, 1}, lock);
    return true;
  }
  return false;
}

// Not for what other threads go on to launch meanwhile.
void Dispatcher::wait_until_all_done(base::Lock& lock) {
  const std::uint64_t last = made_;
  wait_until_all_submitted(lock);
  ++waiting_for_ends_;
  changed_.wait(lock.native(), [this, last] {
    return std::none_of(in_flight_.begin(), in_flight_.end(),
                        [last](const InFlight& range) { return range.task->id <= last; });
  });
  --waiting_for_ends_;
}

void Dispatcher::wait_until_idle(const Tenant& tenant, base::Lock& lock) {
  for (const auto& task : tasks_)
    if (task->queue->tenant == &tenant) require(*task);
  dispatch();
  ++waiting_for_ends_;
  changed_.wait(lock.native(), [&] { return !tenant.awake(); });
  --waiting_for_ends_;
}

// What is submitted may complete at once, and then the policy is asked again.
void Dispatcher::dispatch() {
  again_ = true;
  if (dispatching_) return;
  dispatching_ = true;
  while (std::exchange(again_, false)) {
    while (submit_ungoverned() || ask_policy()) {
    }
    if (force_required()) again_ = true;
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
  } catch (const std::exception& error) {
    base::log_error("the scheduling policy failed, and nothing is submitted for it: {}", error.what());
    decisions_.clear();
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
  try {
    const device::Partition* const partition = processors.empty() ? nullptr : partition_(work.place(), processors);
    auto end = work.governed() && (decision.timed || !is_followed(task)) ? work.take_event() : nullptr;
    if (decision.priority != task.priority) work.set_priority(task.priority = decision.priority);
    // Before it is submitted: on a busy machine it may have ended before this thread looks at the clock again, and
    // would seem to have taken no time.
    const std::uint64_t now_ns = watcher_->clock().now_ns();
    work.submit(range, last, partition, end.get());
    task.left.begin = range.end;
    if (work.governed()) track(task, range, decision, std::move(end), now_ns);
  } catch (...) {
    failed(task, std::current_exception());
    return true;
  }
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
  if (task.logical.id != 0) dag_.finish(task.logical);
  --task.queue->tasks;
  if (task.queue->tenant) --task.queue->tenant->held;
  tasks_.erase(task.place_in_list);
  again_ = true;
  changed_.notify_all();
}

void Dispatcher::track(HeldTask& task, BlockRange range_of_blocks, const Decision& decision,
                       std::shared_ptr<device::Event> end, std::uint64_t now_ns) {
  const std::size_t place = task.work->place();
  const std::uint64_t blocks = range_of_blocks.size();
  const double each = task.work->seconds_per_block();
  Tenant* const tenant = task.queue->tenant;
  const bool timed = end != nullptr;
  if (tenant) ++tenant->in_flight;
  InFlight& range = in_flight_.emplace_back(
      InFlight{*task.place_in_list, place, blocks, each > 0 ? each * static_cast<double>(blocks) : -1, now_ns,
               std::move(end), log(task, range_of_blocks, decision, timed, now_ns), tenant});
  const auto at = std::prev(in_flight_.end());
  DeviceView& device = devices_[place];
  ++device.ranges;
  if (range.predicted < 0)
    ++device.unknown_ranges;
  else
    device.predicted_seconds += range.predicted;
  ++task.ranges;
  if (!timed) return;
  const auto point = range.end->point();
  const auto done = [link = link_, at] {
    link->run([&](Dispatcher& self) {
      self.range_done(at);
      self.dispatch();
    });
  };
  if (!point || !point->on_done(done)) range_done(at);
}

}  // namespace heddle::sched
