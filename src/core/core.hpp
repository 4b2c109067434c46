// What a Runtime owns: its devices, their memory, the tasks in flight, and the lock that guards all of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_safety.hpp"
#include "base/watcher.hpp"
#include "core/in_call.hpp"
#include "core/launch_scratch.hpp"
#include "device/device.hpp"
#include "heddle/checks.hpp"
#include "links/store.hpp"
#include "sched/backlog.hpp"
#include "sched/dedicated_queues.hpp"
#include "sched/dispatcher.hpp"
#include "sched/early_start.hpp"
#include "sched/memory_manager.hpp"
#include "sched/open_calls.hpp"
#include "sched/pinned_arrays.hpp"
#include "sched/placer.hpp"
#include "sched/replayer.hpp"
#include "sched/scheduler.hpp"
#include "sched/transfers.hpp"
#include "trace/recorder.hpp"

namespace heddle::core {

class NodeTenant;

struct CoreOptions {
  Checks check = false;                                     // mistakes of kernels to look for
  std::function<void(const std::string&)> on_finding = {};  // RuntimeOptions::on_finding
  std::uint64_t slice = 0;  // queues of the explicit level cut launches into ranges of so many blocks; 0: they do not
  bool ranges = true;       // parts of a grid can be launched
  Scheduling scheduling = {};
  std::string policy = {};                           // see sched::make_policy
  std::shared_ptr<NodeTenant> node = nullptr;        // the tenant that the process is; null: it is none
  std::uint64_t memory_budget = 0;                   // bytes of each device's memory that arrays may take; 0: all of it
  std::unique_ptr<trace::Recorder> trace = nullptr;  // null: no trace is recorded
  std::shared_ptr<base::Watcher> watcher = base::process_watcher();  // of the devices
};

// A device's place is its index in the list, in order of preference.
class Core {
 public:
  Core(std::vector<std::unique_ptr<device::Device>> devices, CoreOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Any thread.
  std::size_t places() const { return devices_.size(); }
  device::Device& device(std::size_t place) const { return *devices_[place]; }
  std::vector<device::Device*> devices() const;
  const Checks& check() const { return check_; }
  const std::function<void(const std::string&)>& on_finding() const { return on_finding_; }
  // Whether launches there have footprints (runtime/footprint.hpp).
  bool verifies(std::size_t place) const { return verifies_[place]; }
  // The processors of a place on which the process can count: those of its quota, where it is a tenant of the node's
  // daemon and has one; else all. May change at any time.
  unsigned own_processors(std::size_t place) const;
  // Whether launches are submitted at once to the place that they name, and nothing of them is verified.
  bool is_direct() const { return direct_; }
  std::uint64_t slice() const { return slice_; }
  bool ranges() const { return ranges_ || slice_ != 0; }
  trace::Recorder* trace() const { return trace_.get(); }
  links::LinkStore& links() { return links_; }
  const std::shared_ptr<base::Watcher>& watcher() const { return watcher_; }
  // The place of a device id; 0 for an empty id. Throws not_found with the existing ids.
  std::size_t find(std::string_view id) const { return id.empty() ? 0 : find_named(id); }

  // The core's lock. Never held while a thread waits for a device, compiles a kernel, or runs code of the program.
  // Throws invalid_argument if the calling thread runs a function of a task of this core (Runtime::call).
  base::Mutex& mutex() {
    InCall::refuse(*this);
    return mutex_;
  }
  // The same for destructors, which must not throw.
  base::Mutex& mutex_at_end() { return mutex_; }

  // These need the lock.
  sched::Scheduler& scheduler() { return *scheduler_; }
  sched::EarlyStarts& early() { return *early_; }
  sched::Transfers& transfers() { return *transfers_; }
  sched::PinnedArrays& pinned() { return pinned_; }
  memory::Changes& changes() { return changes_; }
  sched::Replayer& replayer() { return *replayer_; }
  // Chooses the place of launches that name no device; null: they run on the first place.
  sched::Placer* placer() { return placer_.get(); }

  sched::MemoryManager& memory() { return *memory_; }
  sched::OpenCalls& calls() { return calls_; }
  LaunchScratch& scratch() { return scratch_; }
  // To be called before each launch of the inferred level: waits where the program is thousands of launches ahead.
  void count_launch() {
    if (backlog_.count()) [[unlikely]]
      mark_backlog();
  }
  sched::DedicatedQueues& dedicated_queues() { return dedicated_queues_; }
  // Null in direct mode.
  sched::Dispatcher* dispatcher() { return dispatcher_.get(); }
  // The launch queue of the inferred level.
  sched::LaunchQueue& launch_queue() { return *launch_queue_; }
  // Whose queues are that no tenant of the program has; null: nobody's.
  sched::Tenant* own_tenant() { return own_tenant_; }
  // The array's object in the DAG of held tasks.
  graph::ObjectId logical_object(memory::Array& array);
  // Waits until no call is open and no task is held. Releases the lock meanwhile.
  void wait_until_all_submitted(base::Lock& lock);
  // The same for the tasks after which this access to the array has to come.
  void wait_until_submitted(memory::Array& array, graph::Mode mode, std::uint64_t begin, std::uint64_t end,
                            base::Lock& lock);

  // Whether a task is held after which such an access has to come.
  bool is_held(const memory::Array& array, graph::Mode mode, std::uint64_t begin, std::uint64_t end) const;

  // The functions below must be called without the lock.

  // The partition with these processors; created by the first call. Throws invalid_argument.
  const device::Partition& partition(std::size_t place, const std::vector<unsigned>& processors);
  // Whether all tasks are known to be done.
  bool idle();
  // Waits for all tasks; throws the first Error.
  void synchronize();

 private:
  std::size_t find_named(std::string_view id) const;
  sched::MemoryManager::Options memory_options(const CoreOptions& options);
  bool find_direct() const;
  void mark_backlog();
  void start_dispatcher(std::unique_ptr<sched::Policy> policy);

  const std::shared_ptr<base::Watcher> watcher_;
  const std::unique_ptr<trace::Recorder> trace_;  // outlives the devices
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::vector<bool> verifies_;
  const Checks check_;
  const std::function<void(const std::string&)> on_finding_;
  const std::shared_ptr<NodeTenant> node_;
  const std::uint64_t slice_;
  const bool ranges_;
  base::Mutex partitions_mutex_;
  // By place and processors. Queues must not outlive partitions, so the scheduler's queues are destroyed first.
  std::vector<std::map<std::vector<unsigned>, std::unique_ptr<device::Partition>>> partitions_
      HEDDLE_GUARDED_BY(partitions_mutex_);
  base::Mutex mutex_;
  links::LinkStore links_;
  sched::PinnedArrays pinned_;
  memory::Changes changes_;
  std::unique_ptr<sched::Scheduler> scheduler_;
  std::unique_ptr<sched::EarlyStarts> early_;
  std::unique_ptr<sched::Transfers> transfers_;
  std::unique_ptr<sched::MemoryManager> memory_;
  std::unique_ptr<sched::Placer> placer_;
  std::unique_ptr<sched::Replayer> replayer_;  // its graphs are destroyed before the devices
  sched::OpenCalls calls_;
  sched::Backlog backlog_;
  LaunchScratch scratch_;
  sched::DedicatedQueues dedicated_queues_;
  std::unique_ptr<sched::Dispatcher> dispatcher_;
  sched::LaunchQueue* launch_queue_ = nullptr;
  sched::Tenant* own_tenant_ = nullptr;
  bool direct_ = false;
};

}  // namespace heddle::core
