// What a Runtime owns: its devices, their memory and what is in flight on them, and the lock over all of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_safety.hpp"
#include "base/watcher.hpp"
#include "device/device.hpp"
#include "links/store.hpp"
#include "runtime/in_call.hpp"
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

namespace heddle::runtime {

struct CoreOptions {
  bool check = false;       // modules are loaded so that every access is verified
  std::uint64_t slice = 0;  // queues of the explicit level cut launches into ranges of so many blocks; 0: not
  bool ranges = true;       // launches of a part of a grid are possible
  Scheduling scheduling = {};
  std::string policy = {};                           // see sched::make_policy
  std::uint64_t memory_budget = 0;                   // bytes of each device that arrays may take; 0: what there is
  std::unique_ptr<trace::Recorder> trace = nullptr;  // null: what devices report is not recorded
  std::shared_ptr<base::Watcher> watcher = base::process_watcher();  // that the devices use
};

// Devices are numbered by their place in the list, in order of preference.
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
  bool check() const { return check_; }
  // Launches there have footprints (runtime/footprint.hpp).
  bool verifies(std::size_t place) const { return verifies_[place]; }
  std::uint64_t slice() const { return slice_; }
  bool ranges() const { return ranges_ || slice_ != 0; }
  trace::Recorder* trace() const { return trace_.get(); }
  links::LinkStore& links() { return links_; }
  const std::shared_ptr<base::Watcher>& watcher() const { return watcher_; }
  // The place of a device id; 0 for an empty one. Throws not_found with the ids there are.
  std::size_t find(std::string_view id) const;

  // The core's lock. Never held while waiting for a device, compiling, or in the program's code. Throws
  // invalid_argument in a function that is being called as a task of this core.
  base::Mutex& mutex() {
    InCall::refuse(*this);
    return mutex_;
  }
  // The same for destructors, which cannot say so.
  base::Mutex& mutex_at_end() { return mutex_; }

  // These need the lock.
  sched::Scheduler& scheduler() { return *scheduler_; }
  sched::EarlyStarts& early() { return *early_; }
  sched::Transfers& transfers() { return *transfers_; }
  sched::PinnedArrays& pinned() { return pinned_; }
  sched::Replayer& replayer() { return *replayer_; }
  // Chooses a place for launches that name no device; null: they go to the first place.
  sched::Placer* placer() { return placer_.get(); }

  sched::MemoryManager& memory() { return *memory_; }
  sched::OpenCalls& calls() { return calls_; }
  sched::DedicatedQueues& dedicated_queues() { return dedicated_queues_; }
  // Managed mode; null: direct.
  sched::Dispatcher* dispatcher() { return dispatcher_.get(); }
  // That of launches of the inferred level.
  sched::LaunchQueue& launch_queue() { return *launch_queue_; }
  // The array in the DAG of held tasks.
  graph::ObjectId logical_object(memory::Array& array);
  // Waits until no call is being put together and nothing is held, giving the lock back meanwhile.
  void wait_until_all_submitted(base::Lock& lock);
  // The same for what uses bytes of the array so that the access has to come after it.
  void wait_until_submitted(memory::Array& array, graph::Mode mode, std::uint64_t begin, std::uint64_t end,
                            base::Lock& lock);

  // Whether something is held that such an access would have to come after.
  bool is_held(const memory::Array& array, graph::Mode mode, std::uint64_t begin, std::uint64_t end) const;

  // Without the lock.
  // The partition of these processors, made once. Throws invalid_argument.
  const device::Partition& partition(std::size_t place, const std::vector<unsigned>& processors);
  // Whether all tasks are known to be done.
  bool idle();
  // Waits for everything; throws the first Error.
  void synchronize();

 private:
  sched::MemoryManager::Options memory_options(const CoreOptions& options);
  void start_dispatcher(std::unique_ptr<sched::Policy> policy);

  const std::shared_ptr<base::Watcher> watcher_;
  const std::unique_ptr<trace::Recorder> trace_;  // outlives the devices
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::vector<bool> verifies_;
  const bool check_;
  const std::uint64_t slice_;
  const bool ranges_;
  base::Mutex partitions_mutex_;
  // By place and processors. Queues must not outlive them, so the scheduler's end before.
  std::vector<std::map<std::vector<unsigned>, std::unique_ptr<device::Partition>>> partitions_
      HEDDLE_GUARDED_BY(partitions_mutex_);
  base::Mutex mutex_;
  links::LinkStore links_;
  sched::PinnedArrays pinned_;
  std::unique_ptr<sched::Scheduler> scheduler_;
  std::unique_ptr<sched::EarlyStarts> early_;
  std::unique_ptr<sched::Transfers> transfers_;
  std::unique_ptr<sched::MemoryManager> memory_;
  std::unique_ptr<sched::Placer> placer_;
  std::unique_ptr<sched::Replayer> replayer_;  // its graphs end before the devices
  sched::OpenCalls calls_;
  sched::DedicatedQueues dedicated_queues_;
  std::unique_ptr<sched::Dispatcher> dispatcher_;
  sched::LaunchQueue* launch_queue_ = nullptr;
};

}  // namespace heddle::runtime
