// Managed mode: holds tasks, and submits them in ranges of blocks as the policy decides.
//
// A task is ready when all tasks that it depends on have been submitted; from then on the device keeps the order. The
// dependences of a task of the inferred level come from the bytes of arrays, in a DAG of the held tasks alone. A task
// of the explicit level depends on the task before it in its stream and on the events for which it waits.
//
// No task for which something waits is held for ever. A task is required if a thread waits for it, or if it is in a
// suspended queue and a task of another queue depends on it. All tasks that it depends on are required too. If the
// policy submits no required task while the devices are idle, the dispatcher submits them.
//
// Where memory runs out a call of the program throws, and a task fails that finds none when it is submitted. The ends
// of tasks in flight need no memory: all that they need is allocated when these are held or submitted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_cache.hpp"
#include "base/thread_safety.hpp"
#include "base/watcher.hpp"
#include "graph/dag.hpp"
#include "sched/clock_alignment.hpp"
#include "sched/held_task.hpp"
#include "sched/launch_queue.hpp"
#include "sched/policy.hpp"
#include "sched/range_log.hpp"

namespace heddle::sched {

// Needs the core's lock, except in constructor and destructor.
class Dispatcher {
 public:
  struct Device {
    unsigned processors = 1;
    unsigned grain = 1;                  // DeviceView::grain
    const CoRunDevice* corun = nullptr;  // it outlives the dispatcher
    unsigned set_units = 1;              // DeviceView::set_units
    bool on_host = false;                // DeviceView::on_host
    bool own_clock = false;              // the times of its events are not exactly those of the watcher's clock
  };
  // `partition`: returns the partition with these processors of a place. `mutex`: the core's.
  using FindPartition = std::function<const device::Partition*(std::size_t place, const std::vector<unsigned>&)>;
  Dispatcher(std::unique_ptr<Policy> policy, const std::vector<Device>& devices, FindPartition partition,
             base::Mutex& mutex, std::shared_ptr<base::Watcher> watcher);
  // No task may be held or in flight.
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // `tenant`: whose queue it is; null: nobody's.
  LaunchQueue& add_queue(std::string name, int priority, Tenant* tenant = nullptr);
  // It must have no held tasks. Ranges may still be in flight: their ends are found later than their submission.
  void remove_queue(LaunchQueue& queue);
  Tenant& add_tenant(TenantSettings settings);
  void set_tenant(Tenant& tenant, TenantSettings settings);
  void remove_tenant(Tenant& tenant);  // it must have no queues, and no tasks held or in flight
  // The host has waited for all of the queue's tasks: the next launch is the first of a batch.
  void begin_batch(LaunchQueue& queue) { queue.launches = 0; }
  void begin_batches() {
    for (LaunchQueue& queue : queues_) queue.launches = queue.tasks == 0 ? 0 : queue.launches;
  }
  // Suspends a queue, or resumes it.
  void set_suspended(LaunchQueue& queue, bool suspended);

  // The DAG of held tasks: objects are whole arrays and the variables of modules.
  graph::Dag& dag() { return dag_; }
  // Holds a task of the inferred level.
  std::shared_ptr<HeldTask> hold(LaunchQueue& queue, std::unique_ptr<Work> work,
                                 std::span<const graph::Access> accesses);
  // Holds a task of the explicit level that comes after `parents`, of which some may be null.
  std::shared_ptr<HeldTask> hold_after(LaunchQueue& queue, std::unique_ptr<Work> work,
                                       std::span<const std::shared_ptr<HeldTask>> parents);
  // So many tasks of a queue are held at most, so that a program that launches faster than it is let go takes bounded
  // memory.
  static constexpr std::uint64_t most_held = 16384;
  bool is_full(const LaunchQueue& queue) const { return queue.tasks >= most_held; }
  // To be called before hold() and hold_after(), or after them, by the thread that launches. Where the queue has no
  // room it waits until half of the tasks are submitted; those are required from then on. Releases the lock meanwhile.
  void wait_for_room(LaunchQueue& queue, base::Lock& lock) {
    if (is_full(queue)) [[unlikely]]
      wait_until_half_is_submitted(queue, lock);
  }
  // See turn.hpp. A turn ends by end_turn().
  std::shared_ptr<HeldTask> take_turn(std::span<const graph::Access> accesses, base::Lock& lock);
  void end_turn(HeldTask& turn);
  // Asks the policy, after something has changed.
  void dispatch() noexcept;
  void dispatch_after_ends() noexcept;

  // The held tasks after which an access has to come.
  std::vector<std::shared_ptr<HeldTask>> hazards(const graph::Access& access) const;
  // Waits until the tasks are submitted. Releases the lock meanwhile. An error of their submission is stored in them.
  void wait_until_submitted(std::span<const std::shared_ptr<HeldTask>> tasks, base::Lock& lock);
  // The same for all held tasks.
  void wait_until_all_submitted(base::Lock& lock);
  // Waits until no task that exists now is held or in flight. From then on no callback of a device refers to one of
  // them.
  void wait_until_all_done(base::Lock& lock);
  // Waits until the tenant has no task held or in flight. All that it has are required.
  void wait_until_idle(const Tenant& tenant, base::Lock& lock);
  unsigned threads_that_wait_for_ends() const { return waiting_for_ends_; }
  // Waits until all blocks of a task are submitted of which some are. Returns whether there was such a task.
  bool finish_divided(base::Lock& lock);
  std::size_t held() const { return tasks_.size(); }
  std::vector<Figure> figures() const { return policy_->figures(); }
  // The first failure of a submission that no thread has waited for, once.
  std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

 private:
  struct InFlight {
    std::shared_ptr<HeldTask> task;
    std::size_t place = 0;
    std::uint64_t blocks = 0;
    double predicted = -1;  // seconds; negative: not known
    std::uint64_t submitted_ns = 0;
    std::shared_ptr<device::Event> end;        // null: it has ended when a later range of its queue has
    std::uint64_t end_ns = 0;                  // once it has ended
    RangeLog::Entry* entry = nullptr;          // null: the policy does not see it
    Tenant* tenant = nullptr;                  // null: nobody's
    std::list<InFlight>::iterator next_ended;  // Link::ended()
  };
  // How callbacks reach the dispatcher. They may run after it was destroyed.
  struct Link;

  static constexpr std::size_t most_shown = 256;  // ready tasks that the policy is shown at a time

  std::shared_ptr<HeldTask> add(LaunchQueue& queue, std::unique_ptr<Work> work);
  void depend(HeldTask& task, std::span<HeldTask* const> parents);
  std::shared_ptr<HeldTask> put_in_order(LaunchQueue& queue, std::unique_ptr<Work> work,
                                         std::span<const graph::Access> accesses);
  void added(HeldTask& task);
  void set_ready(HeldTask& task);
  void remove(HeldTask& task);
  void submit_one_without_policy();
  bool remove_abandoned();
  bool ask_policy();
  void find_ready();
  void show_tasks();
  View view();
  bool force_required();
  void require(HeldTask& task);
  void require_parents_of(HeldTask& task);
  void wait_until_half_is_submitted(LaunchQueue& queue, base::Lock& lock);
  void wait_until_submitted(HeldTask& task, base::Lock& lock);
  bool submit_ungoverned();
  void make_ready(HeldTask& task);
  // Returns whether all blocks of the task are submitted, or it has failed.
  bool submit(HeldTask& task, const Decision& decision);
  void failed(HeldTask& task, const std::exception_ptr& failure);
  void submitted(HeldTask& task);
  bool submitted_later(HeldTask& task, const std::shared_ptr<device::Event>& end) noexcept;
  void prepare(std::list<InFlight>& prepared, const HeldTask& task, BlockRange blocks, const Decision& decision,
               std::shared_ptr<device::Event> end);
  void track(HeldTask& task, std::list<InFlight>& prepared) noexcept;
  bool report_end(std::list<InFlight>::iterator range);
  void wait_for_unreported(base::Lock& lock) HEDDLE_RELEASES_LOCK;
  void range_done(std::list<InFlight>::iterator range);
  bool end_untimed(LaunchQueue& queue, std::list<InFlight>::iterator before, std::uint64_t end_ns);
  void ended(std::list<InFlight>::iterator range, std::uint64_t end_ns);
  void account_end(InFlight& range, std::uint64_t end_ns);
  void forget(const LaunchQueue& queue) noexcept;
  void set_timer(const View& view);

  const std::unique_ptr<Policy> policy_;
  const FindPartition partition_;
  base::Mutex& mutex_;
  const std::shared_ptr<base::Watcher> watcher_;
  const std::shared_ptr<Link> link_;
  base::ThreadCache threads_{"heddle-memory"};
  graph::Dag dag_;
  std::vector<HeldTask*> by_slot_;        // by slot of the DAG
  std::list<LaunchQueue> queues_, gone_;  // gone_: removed, while the policy has yet to see the ends of their ranges
  LaunchQueue turns_{.name = "turns"};    // the policy never sees it
  std::uint32_t queues_made_ = 0;
  std::list<Tenant> tenants_;
  std::vector<const Tenant*> tenant_views_;
  std::uint32_t tenants_made_ = 0;
  std::uint64_t tenants_version_ = 0;
  RangeLog log_;
  std::list<std::shared_ptr<HeldTask>> tasks_;  // tasks that are not submitted, by age
  // Of these, the ready ones, by age: those about which the policy decides, and the others.
  ReadyTasks ready_governed_, ready_others_;
  std::list<InFlight> in_flight_;
  std::list<InFlight> unreported_;  // there was no memory to be told of their ends
  std::vector<DeviceView> devices_;
  std::vector<std::optional<ClockAlignment>> clocks_;  // by place; nothing: its times are those of the watcher's clock
  std::vector<std::uint64_t> last_end_ns_;             // by place: the end of the last range that is known to be done
  std::uint64_t made_ = 0;
  unsigned waiting_for_ends_ = 0;  // threads
  bool dispatching_ = false, again_ = false;
  bool shows_all_ready_ = false;  // all tasks that could be shown the last time were ready
  bool making_ready_ = false;     // a task in make_ready(); one at a time, as two would evict each other's arrays
  std::uint64_t timer_ = 0, timer_ns_ = 0;  // 0: none is set; its time
  std::exception_ptr failure_;
  std::condition_variable changed_;
  std::vector<TaskView> views_;  // what the policy was shown the last time, by the tasks' numbers
  // Used during a dispatch only. Members, so that their memory is reused.
  std::vector<QueueView> queue_views_;
  std::vector<Decision> decisions_;
  std::vector<HeldTask*> ready_;
};

}  // namespace heddle::sched
