// What everything of one GPU shares: its driver handles, its context, whether it is lost, its clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_cache.hpp"
#include "base/thread_safety.hpp"
#include "base/trace.hpp"
#include "base/watcher.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/pinned_pool.hpp"
#include "device/cuda/span_map.hpp"
#include "device/device.hpp"

namespace heddle::device::cuda {

// Memory, modules, queues and events keep it alive; it releases the context last. Any thread.
class DeviceState {
 public:
  // Throws unsupported or io_error when the GPU cannot be used.
  DeviceState(std::shared_ptr<const Driver> driver, int ordinal, base::TraceSink* trace,
              std::shared_ptr<base::Watcher> watcher);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const Driver& driver() const { return *driver_; }
  const DeviceInfo& info() const { return info_; }
  driver::DeviceNumber number() const { return number_; }
  driver::Context context() const { return context_->handle(); }
  driver::Stream service_stream() const { return service_; }
  base::TraceSink* trace() const { return trace_; }
  const std::shared_ptr<base::Watcher>& watcher() const { return watcher_; }
  const base::Clock& clock() const { return watcher_->clock(); }
  // For what queues do on the host.
  base::ThreadCache& host_threads() { return host_threads_; }
  int attribute(driver::DeviceAttribute attribute) const;
  unsigned max_resident_threads() const { return max_resident_threads_; }  // of an SM
  // Sets the memory pool up at the first call; needs the GPU's context current. Throws what check() does.
  void start_pool() const;
  std::uint64_t pool_reserve() const;  // unused bytes that the pool holds
  PinnedPool& pinned() { return *pinned_; }
  // Whether launches can be prepared while the preceding kernel runs.
  bool launches_early() const { return launches_early_; }

  // Makes the GPU's context the thread's, for a scope; what was current before is so again afterwards. (The first GPU's
  // stays where there was none.) Scopes of one GPU within each other ask the driver once.
  class Current {
   public:
    explicit Current(const DeviceState& state);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const DeviceState& state_;
    const driver::Context outer_;  // of the enclosing scope; null: none
    driver::Context before_ = nullptr;
  };

  // Within a Current, around code of the program's own, which may make another context the thread's.
  class Foreign {
   public:
    explicit Foreign(const DeviceState& state);
    ~Foreign();
    Foreign(const Foreign&) = delete;
    Foreign& operator=(const Foreign&) = delete;

   private:
    const DeviceState& state_;
  };

  // Throws for results other than success: kernel_fault or device_lost where the result means that the context is gone,
  // else `code`. `what`: the operation, "copying 12 bytes", "launching kernel 'k'".
  void check(driver::Result result, std::string_view what, ErrorCode code = ErrorCode::internal) const;
  // The first fault loses the device: the call throws kernel_fault, later ones device_lost. `suspects` names the
  // kernels in flight.
  [[noreturn]] void lose(driver::Result result, const std::string& suspects) const;
  bool lost() const { return context_ && context_->lost(); }
  // Throws device_lost when it is.
  void check_lost() const;
  // For destructors: whether there is nothing to give back, as the device is lost, or as the driver has ended before
  // the rest of the process.
  bool gone() const;

  // Events are created once and reused.
  driver::EventHandle acquire_event(bool timed) const;
  void release_event(driver::EventHandle event, bool timed) const;

  // Nanoseconds of clock() at which a completed event was reached on the GPU. Differences are exact to about half a
  // microsecond.
  std::uint64_t time_of(driver::EventHandle event) const;
  void keep_time() const;  // at every record: takes a new reference now and then, as the driver counts in floats

  SpanMap spans;                                                  // allocations and module variables
  std::atomic<std::uint64_t> allocations{0}, allocated_bytes{0};  // of this process, through Heddle

 private:
  struct Reference {
    driver::EventHandle event;
    std::uint64_t ns;  // valid once `known`
    bool known;
  };

  void find_peers(int own);
  void describe();
  void start_clock();

  std::shared_ptr<const Driver> driver_;
  driver::DeviceNumber number_ = 0;
  std::shared_ptr<PrimaryContext> context_;
  std::unique_ptr<PinnedPool> pinned_;
  driver::Stream service_ = nullptr;
  bool is_first_;  // that CUDA's runtime gives a thread which has not chosen
  base::TraceSink* trace_;
  const std::shared_ptr<base::Watcher> watcher_;
  base::ThreadCache host_threads_{"heddle-host"};
  DeviceInfo info_;
  unsigned max_resident_threads_ = 0;
  bool launches_early_ = false;
  std::vector<driver::DeviceNumber> peers_;
  mutable std::once_flag pool_started_;
  mutable std::atomic<bool> has_pool_{false};

  mutable base::Mutex mutex_;
  mutable std::vector<driver::EventHandle> spare_events_[2] HEDDLE_GUARDED_BY(mutex_);  // without and with time
  mutable base::Mutex clock_mutex_;
  mutable std::vector<Reference> references_ HEDDLE_GUARDED_BY(clock_mutex_);  // the last ones; the front is known
  mutable std::atomic<std::uint64_t> next_reference_ns_{0};
};

}  // namespace heddle::device::cuda
