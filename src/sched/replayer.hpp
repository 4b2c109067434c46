// Repeated launches, submitted all at once.
//
// When a program makes the same launches again and again (repetition_finder.hpp), one more round of them is recorded
// and made a graph of the device (device/launch_graph.hpp). From then on its launches are compared with the recorded
// ones and held; the last one of a part submits the graph, with the arguments of this round. A launch that differs, a
// wait of the host, or a while without launches ends that: what is held is submitted as it would have been. So results
// are the same, and nothing is held for long.
//
// Parts end where the host waits, since nothing can be held beyond that. What is recorded must be plain: whole grids on
// one device whose arrays are there already, no times asked for. A launch that names no device is on the one that was
// chosen for it when it was recorded.
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
#include "sched/repetition_finder.hpp"
#include "sched/replay_plan.hpp"
#include "sched/scheduler.hpp"
#include "sched/transfers.hpp"

namespace heddle::sched {

class ReplayWatch;

class Replayer {
 public:
  // `on`: else nothing is ever held. `mutex`: the core's.
  Replayer(Scheduler& scheduler, Transfers& transfers, const PinnedArrays& pinned, base::Mutex& mutex,
           std::shared_ptr<base::Watcher> watcher, bool on);
  ~Replayer();
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  // Whether take() may take a launch. Any thread: a thread that has heard of held launches, from the one that made
  // them, sees it.
  bool follows() const { return follows_.load(std::memory_order_relaxed); }
  bool on() const { return on_; }

  // All others need the core's lock.

  struct Held {
    HeldBatches::Launch launch;
    std::size_t place;
  };
  // Takes a launch that continues what is being repeated, as the program makes it. Nothing: the caller is to submit it,
  // and to call submitted().
  std::optional<Held> take(LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments) {
    if (plan_.empty()) return std::nullopt;
    return follow(kernel, options, arguments);
  }
  // A launch was submitted. `moved`: some of its arrays had to be copied first.
  void submitted(const RecordedLaunch& launch, bool moved, device::Function& function,
                 std::span<const graph::Access> accesses) {
    if (!on_ || !plan_.empty()) return;
    const bool plain = !moved && is_plain(launch.bound);
    if (saw(plain ? hash_of(launch.bound) : ++others_)) record(ReplayStep(launch, function, accesses));
  }
  // For a thread that has called flush() or take() and has not had the lock since: other threads may have held
  // launches.
  void flush_others() {
    if (held_ > 0) [[unlikely]]
      abandon();
  }
  // The host waits, or does something else that must come after what is held.
  void flush();
  // See HeldBatches; of a launch that is not held any more.
  graph::TaskRef task_of(const HeldBatches::Launch& launch) const { return batches_.task_of(launch); }
  // Launches that are held.
  std::size_t held() const { return held_; }
  // Graphs that were submitted, and how often launches that were held had to be submitted one by one.
  std::uint64_t graphs() const { return graphs_; }
  std::uint64_t abandoned() const { return abandoned_; }
  // How long a launch may be held while no other comes; to be set before any is.
  static constexpr std::chrono::nanoseconds usual_patience = std::chrono::microseconds(100);
  void set_patience(std::chrono::nanoseconds patience) { patience_ = patience; }

 private:
  static constexpr std::size_t most_in_part = 512, least_in_part = 64;

  bool is_plain(const BoundLaunch& launch) const;
  std::optional<Held> follow(LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments);
  bool saw(std::uint64_t thing);
  void record(ReplayStep step);
  void end_recording();
  void copy_back(const ReplayPart& part, std::size_t steps);
  void submit_part();
  void submit_one_by_one();
  void abandon();
  void pause();
  void stop_following();

  Scheduler& scheduler_;
  Transfers& transfers_;
  const PinnedArrays& pinned_;
  const bool on_;
  std::uint64_t others_ = 1;  // numbers for things that come once
  RepetitionFinder finder_;
  std::uint64_t things_ = 0, quiet_until_ = 0;  // seen; no recording before so many
  unsigned failures_ = 0;                       // in a row
  // What is being recorded: so many things more, into parts.
  std::size_t to_record_ = 0;
  bool after_wait_ = false;  // recording starts when the host has waited
  bool host_waited_ = false;
  std::vector<ReplayPart> recording_;
  // What is being followed; empty: nothing.
  std::vector<ReplayPart> plan_;
  std::atomic<bool> follows_{false};
  std::size_t part_ = 0, held_ = 0;  // where in it: so many steps of the part are held
  std::size_t period_ = 0;           // of launches among which the host does not wait: a part consists of such periods
  std::size_t passing_ = 0;          // launches until the next period begins, which are not held
  bool launched_ = false;            // a graph, since the host waited last
  HeldBatches batches_;
  std::uint64_t graphs_ = 0, abandoned_ = 0;
  std::chrono::nanoseconds patience_ = usual_patience;
  std::shared_ptr<ReplayWatch> watch_;
};

}  // namespace heddle::sched
