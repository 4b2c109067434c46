// Repeated launches, put into a queue all at once.
//
// A program that does the same launches again and again is found out (replay/finder.hpp), what it repeats is recorded
// once more, and made a graph of the device (device/launch_graph.hpp). From then on its launches are compared with the
// recorded ones and held; the last one of a part launches the graph, with the arguments of this time. A launch that is
// another one, the host's waiting, or a while without launches ends that: what is held is launched as it would have
// been. So results are the same, and nothing is held for long.
//
// Parts end where the host waits, since nothing can be held beyond that. What is recorded must be plain: whole grids on
// one device whose arrays are there already, no times asked for. A launch that names no device is on the one that was
// chosen for it when it was recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "device/launch_graph.hpp"
#include "heddle/launch.hpp"
#include "replay/finder.hpp"
#include "runtime/engine.hpp"
#include "runtime/replay_plan.hpp"

namespace heddle::runtime {

class Core;

// Launches that are held together, for who holds their handles. Guarded by the core's lock.
struct HeldLaunches {
  bool issued = false;
  bool together = false;
  std::vector<Engine::Submitted> submitted;  // of each; the one of all if together
  std::exception_ptr failure;                // issuing them failed
  const Engine::Submitted& of(std::size_t i) const { return submitted[together ? 0 : i]; }
};

class Replayer {
 public:
  // `on`: else nothing is ever held.
  Replayer(Core& core, bool on) : core_(core), on_(on) {}
  ~Replayer();
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  // Whether take() may take a launch. Any thread: who has heard of launches that are held (from who made them) sees it.
  bool follows() const { return follows_.load(std::memory_order_relaxed); }
  bool on() const { return on_; }

  // All others need the core's lock.

  struct Held {
    std::shared_ptr<HeldLaunches> launches;
    std::size_t index;
    std::size_t place;
  };
  // Takes a launch that goes on with what is being repeated. Nothing: the caller is to launch it, and to call made().
  std::optional<Held> take(const LaunchCall& call) {
    if (plan_.empty()) return std::nullopt;
    return follow(call);
  }
  // A launch that was made; `step` is called for what it was, where that is needed. `plain`: as above.
  template <class MakeStep>
  void made(const LaunchCall& call, bool plain, MakeStep&& step) {
    if (!on_ || !plan_.empty()) return;
    if (saw(plain ? call.hash() : ++others_)) record(step());
  }
  // Who had settled, or asked take(), and has had the lock free since: others may have begun to hold launches.
  void give_way() {
    if (held_ > 0) [[unlikely]]
      abandon();
  }
  // The host waits, or does something else that what is held must come before.
  void settle();
  // Launches that are held and not launched yet.
  std::size_t held() const { return held_; }
  // Graphs that were launched, and how often launches that were held had to be launched one by one.
  std::uint64_t graphs() const { return graphs_; }
  std::uint64_t abandoned() const { return abandoned_; }
  // How long a launch may be held while no other comes; to be said before any is.
  static constexpr std::chrono::nanoseconds usual_patience = std::chrono::microseconds(100);
  void set_patience(std::chrono::nanoseconds patience) { patience_ = patience; }

 private:
  static constexpr std::size_t most_in_part = 512, least_in_part = 64;

  std::optional<Held> follow(const LaunchCall& call);
  bool saw(std::uint64_t thing);
  void record(ReplayStep step);
  void end_recording();
  void copy_back(const ReplayPart& part, std::size_t steps);
  void launch_part();
  void issue();
  void abandon();
  void pause();
  void stop_following();
  void watch();
  void wake();

  Core& core_;
  bool on_;
  std::uint64_t others_ = 1;  // numbers for things that come once
  replay::Finder finder_;
  std::uint64_t things_ = 0, quiet_until_ = 0;  // seen; no recording before so many
  unsigned failures_ = 0;                       // in a row
  // What is being recorded: so many things more, into parts.
  std::size_t to_record_ = 0;
  bool after_wait_ = false;  // recording begins when the host has waited
  bool host_waited_ = false;
  std::vector<ReplayPart> recording_;
  // What is being followed; empty: nothing.
  std::vector<ReplayPart> plan_;
  std::atomic<bool> follows_{false};
  std::size_t part_ = 0, held_ = 0;  // where in it: so many steps of the part are held
  std::size_t period_ = 0;           // of launches among which the host does not wait: a part consists of such periods
  std::size_t passing_ = 0;          // launches until the next period begins, which are not held
  bool launched_ = false;            // a graph, since the host waited last
  std::shared_ptr<HeldLaunches> launches_;
  std::uint64_t graphs_ = 0, abandoned_ = 0;
  // Looks whether launches have been held for too long.
  std::thread watchdog_;
  std::condition_variable woken_;
  std::chrono::nanoseconds patience_ = usual_patience;
  bool asleep_ = false, stop_ = false;
};

}  // namespace heddle::runtime
