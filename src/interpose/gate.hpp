// The gate of a tenant that runs on NVIDIA's library (`heddle tenant run python train.py`): it says to the node's
// daemon when the process has work, and holds launches back while the daemon grants nothing.
//
// A tenant of the latency class whose grant is the whole device is never held, and pays a few stores for a launch: a
// thread of the gate's asks the driver whether its streams still have work. Launches of all others are counted until
// they end, by an event after each; how long they take is measured now and then (admission.hpp).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/thread_safety.hpp"
#include "daemon/client.hpp"
#include "interpose/admission.hpp"
#include "interpose/idle_period.hpp"
#include "interpose/streams.hpp"

namespace heddle::interpose {

// One for each process that is a tenant. Any thread.
class Gate {
 public:
  // Null: the process is no tenant, or the child of one by fork().
  static Gate* current();

  // A launch on its way.
  struct Pass {
    StreamTable::Stream* stream = nullptr;  // null: it goes without the gate
    WorkKey key = {};
    std::optional<std::uint64_t> predicted_ns = {};
    CUevent start = nullptr;  // it is measured
    bool counted = false, held = false;
  };
  // Before and after a launch is put into the stream. enter() waits until the launch may go.
  Pass enter(CUstream stream, const WorkKey& key);
  void leave(const Pass& pass, bool submitted);
  // Around a copy or a fill, which is never held.
  void touch(CUstream stream);

  // The units of the tenant's quota, of so many that the daemon divides; nothing: no daemon answers, or it has none.
  struct Own {
    std::uint32_t units = 0, of_units = 0;
  };
  std::optional<Own> own();

  StreamTable& streams() { return streams_; }
  // To be called before streams and contexts end, and when functions are unloaded: their handles are used again.
  void forget(CUcontext context);
  void forget_device(CUdevice device);
  void forget_functions();

 private:
  explicit Gate(sched::TenantSettings settings);
  struct InFlight {
    CUcontext context = nullptr;
    CUdevice device = 0;
    WorkKey key;
    std::optional<std::uint64_t> predicted_ns;
    CUevent start = nullptr, end = nullptr;
  };
  struct Events {
    std::vector<CUevent> timed, untimed;
  };

  void wake();
  void wake_up() HEDDLE_REQUIRES(mutex_);
  void note(StreamTable::Stream& stream);
  std::optional<Share> share() HEDDLE_REQUIRES(mutex_);
  bool counts(const std::optional<Share>& share) const;
  Admission::Answer ask(Pass& pass, std::uint64_t since_ns);
  void explain(const Pass& pass, std::uint64_t since_ns) HEDDLE_REQUIRES(mutex_);
  bool collect() HEDDLE_REQUIRES(mutex_);
  void give_back(const InFlight& work) HEDDLE_REQUIRES(mutex_);
  void end(const InFlight& work) HEDDLE_REQUIRES(mutex_);
  template <class Matches>
  void drop_where(const Matches& matches) HEDDLE_REQUIRES(mutex_);
  CUevent take_event(CUcontext context, bool timed) HEDDLE_REQUIRES(mutex_);
  void run();
  void look_at_daemon();
  void look_at_load(const StreamTable::Load& load);
  void count_device_time(bool busy, std::uint64_t now_ns) HEDDLE_REQUIRES(mutex_);
  bool pause();
  void sleep() HEDDLE_REQUIRES(mutex_);
  void report() HEDDLE_REQUIRES(mutex_);
  void finish();

  const base::SteadyClock clock_;
  const bool latency_;
  StreamTable streams_;
  std::atomic<bool> awake_{false};
  std::atomic<bool> counting_{true};        // launches are counted until they end
  std::atomic<std::uint64_t> launches_{0};  // that were not counted until their end, and are not told
  base::Mutex mutex_;
  std::condition_variable changed_;
  daemon::Client client_ HEDDLE_GUARDED_BY(mutex_);
  Admission admission_ HEDDLE_GUARDED_BY(mutex_);
  Durations durations_ HEDDLE_GUARDED_BY(mutex_);
  std::deque<InFlight> in_flight_ HEDDLE_GUARDED_BY(mutex_);
  std::map<CUcontext, Events> events_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t held_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_end_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::uint64_t made_ HEDDLE_GUARDED_BY(mutex_) = 0;         // launches, but for those in `launches_`
  std::uint64_t was_busy_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;  // before `busy_since_ns_`
  std::uint64_t busy_since_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;
  IdlePeriod idle_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t device_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;  // for which the streams had work
  std::uint64_t looked_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;  // when that was looked at last
  bool takes_turns_ HEDDLE_GUARDED_BY(mutex_) = true;      // the driver gives the GPU to one program at a time
  daemon::Ended untold_ HEDDLE_GUARDED_BY(mutex_);
  bool stop_ HEDDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace heddle::interpose
