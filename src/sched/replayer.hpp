// Replay: repeated launches are submitted all at once.
//
// When a program makes the same launches again and again, one more period of them is recorded (replay_recorder.hpp) and
// made into graphs of the device (device/launch_graph.hpp), one for each part. From then on its launches are
// compared with the recorded ones and held. The last launch of a part submits the graph, with the arguments of this
// period. A launch that differs, a wait of the host, or some time without launches ends that: held launches are then
// submitted one by one. So results are the same, and no launch is held for long.
//
// Parts end where the host waits, as no launch can be held beyond that point. Only plain launches are recorded: whole
// grids on one device, not timed, whose arrays are current there. A launch that names no device runs on the device that
// was chosen for it when it was recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread_cache.hpp"
#include "base/watcher.hpp"
#include "sched/bound_launch.hpp"
#include "sched/held_batches.hpp"
#include "sched/pinned_arrays.hpp"
#include "sched/replay_plan.hpp"
#include "sched/replay_recorder.hpp"
#include "sched/scheduler.hpp"
#include "sched/transfers.hpp"

namespace heddle::sched {

class ReplayWatch;

class Replayer {
 public:
  // `on`: false: no launch is ever held. `mutex`: the core's.
  Replayer(Scheduler& scheduler, Transfers& transfers, const PinnedArrays& pinned, const memory::Changes& changes,
           base::Mutex& mutex, std::shared_ptr<base::Watcher> watcher, bool on);
  ~Replayer();
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  // Whether take() may take a launch. Any thread. A thread sees at least the state after launches that happen before
  // this call.
  bool follows() const { return follows_.load(std::memory_order_relaxed); }
  bool on() const { return on_; }

  // The functions below need the core's lock.

  struct Held {
    HeldBatches::Launch launch;
    std::size_t place;
  };
  // Takes a launch if it continues the recorded period. Nothing: the caller has to submit it and to call submitted().
  std::optional<Held> take(LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments) {
    if (plan_.empty()) return std::nullopt;
    return follow(kernel, options, arguments);
  }
  // Records that a launch was submitted. `moved`: some of its arrays had to be copied first.
  void submitted(const RecordedLaunch& launch, bool moved, device::Function& function,
                 std::span<const graph::Access> accesses) {
    if (!records()) return;
    const bool plain = !moved && is_plain(launch.bound);
    if (recorder_.launched(plain ? std::optional(hash_of(launch.bound)) : std::nullopt)) [[unlikely]]
      begin(recorder_.record(ReplayStep(launch, function, accesses)));
  }
  // Whether submitted() is to be called.
  bool records() const { return on_ && plan_.empty(); }
  // The same for a launch that can be replayed. step(): what is recorded of it.
  template <class Step>
  void submitted(std::uint64_t hash, Step&& step) {
    if (recorder_.launched(hash)) [[unlikely]]
      begin(recorder_.record(step()));
  }
  // For a thread that has released the lock since it called flush() or take(): other threads may have added held
  // launches meanwhile.
  void flush_others() {
    if (held_ > 0) [[unlikely]]
      abandon();
  }
  // To be called before the host waits, or does something else that must come after the held launches.
  void flush();
  // See HeldBatches. For a launch that is not held any more.
  graph::TaskRef task_of(const HeldBatches::Launch& launch) const { return batches_.task_of(launch); }
  // The number of held launches.
  std::size_t held() const { return held_; }
  // How many graphs were submitted, and how often held launches had to be submitted one by one.
  std::uint64_t graphs() const { return graphs_; }
  std::uint64_t abandoned() const { return abandoned_; }
  // How long a launch may be held while no other follows. To be set before the first launch.
  static constexpr std::chrono::nanoseconds usual_patience = std::chrono::microseconds(100);
  void set_patience(std::chrono::nanoseconds patience) { patience_ = patience; }

 private:
  bool is_plain(const BoundLaunch& launch) const;
  bool use_arrays(ReplayPart& part, ReplayStep& step);
  std::optional<Held> follow(LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments);
  void begin(std::optional<ReplayRecorder::Recording> recording);
  void copy_back(const ReplayPart& part, std::size_t steps);
  void submit_part();
  void submit_one_by_one();
  void abandon();
  void pause();
  void stop_following();

  Scheduler& scheduler_;
  Transfers& transfers_;
  const PinnedArrays& pinned_;
  const memory::Changes& changes_;
  const bool on_;
  ReplayRecorder recorder_;
  // The recorded period with which launches are compared; empty: none.
  std::vector<ReplayPart> plan_;
  std::atomic<bool> follows_{false};
  std::size_t part_ = 0, held_ = 0;  // the position in it: the current part, and how many of its steps are held
  std::size_t period_ = 0;           // see ReplayRecorder::Recording
  std::size_t passing_ = 0;          // launches until the next period begins; they are not held
  bool launched_ = false;            // a graph was submitted since the host's last wait
  HeldBatches batches_;
  std::uint64_t graphs_ = 0, abandoned_ = 0;
  std::chrono::nanoseconds patience_ = usual_patience;
  std::shared_ptr<ReplayWatch> watch_;
};

}  // namespace heddle::sched
