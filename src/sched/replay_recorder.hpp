// Recognises launches that repeat, and records one period of them for replay (replayer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/repetition_finder.hpp"
#include "sched/replay_plan.hpp"

namespace heddle::sched {

// Sees every launch and every wait of the host while nothing is replayed. Needs the core's lock.
class ReplayRecorder {
 public:
  static constexpr std::size_t most_in_part = 512, least_in_part = 64;

  struct Recording {
    std::vector<ReplayPart> parts;
    // Launches in a period during which the host does not wait; a part consists of such periods. 0: the host waits.
    std::size_t period = 0;
  };

  // A launch was submitted. `hash`: of what it is; nothing: it cannot be replayed. True: it is to be given to record().
  bool launched(std::optional<std::uint64_t> hash) { return saw(hash ? *hash : ++others_); }
  // Returns the recording once the step completes it.
  std::optional<Recording> record(ReplayStep step);
  // The host waits, or does something else that no held launch may pass. Returns the recording if that completes it.
  std::optional<Recording> waited();
  // The recording did not fit the launches that followed: waits longer each time before the next one.
  void failed();
  // The recording fitted: failures before it count no more.
  void fitted() { failures_ = 0; }
  // Nothing is recorded from now on, as the device cannot replay.
  void give_up() { quiet_until_ = ~std::uint64_t{0}; }
  // Forgets the launches so far.
  void clear() { finder_.clear(); }

 private:
  bool saw(std::uint64_t thing);
  std::optional<Recording> end();

  std::uint64_t others_ = 1;  // numbers for launches that cannot be replayed: each occurs once
  RepetitionFinder finder_;
  std::uint64_t things_ = 0, quiet_until_ = 0;  // number of things so far; no recording before so many
  unsigned failures_ = 0;                       // in a row
  std::size_t to_record_ = 0;                   // things that are still to be recorded
  bool after_wait_ = false;                     // recording starts when the host has waited
  bool host_waited_ = false;
  Recording recording_;
};

}  // namespace heddle::sched
