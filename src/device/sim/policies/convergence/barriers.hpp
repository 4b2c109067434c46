// Independent thread scheduling as of Volta and later: each thread has a place of its own, and convergence barriers
// bring threads together that have parted. Where the branch is, its barrier takes those that part as members; at the
// branch's immediate post-dominator they wait until all others have come, exited, or wait for other threads elsewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

// Of one warp. Of its splits one issues at a time, as on these machines; another one has its turn when that one waits.
class ConvergenceBarriers {
 public:
  struct Split {
    Place at;
    LaneMask mask = 0;
    std::uint32_t turns = 0;  // in which it only waited for others
  };
  struct Barrier {
    Place join;
    LaneMask members = 0, arrived = 0;
  };

  // All of them outlive it. The lanes are at one place.
  ConvergenceBarriers(const machine::LaneThreads& threads, LaneMask lanes, ProgramTiming& timing, PolicyCounts& counts);

  // The split that issues; null: all threads wait or have exited.
  const Split* current() const { return splits_.empty() ? nullptr : &splits_.front(); }
  // The current one has executed an instruction: its threads are all behind it; or are at their new places, wait or
  // have exited. `taken`: those that have jumped run first.
  void retire_to(std::uint32_t pc);
  void retire(LaneMask taken);
  // Some threads that waited for others have moved on.
  void resume();
  // The current split only repeats its steps: another one has its turn; or, when all have had theirs, those that wait
  // for it at a join go on without it. Returns whether that changes anything.
  bool yield();

  const std::vector<Split>& splits() const { return splits_; }
  const std::vector<Barrier>& barriers() const { return barriers_; }  // inner ones behind outer ones
  // Lanes that wait at barriers of the block or for lanes of the warp; of those that stay together, one mask.
  const std::vector<LaneMask>& waiting() const { return waiting_; }

 private:
  struct Parts {
    std::vector<Split> running;  // the one that runs first is the first
    LaneMask waiting = 0;
  };
  Parts parts_of(LaneMask lanes, LaneMask taken) const;
  Barrier* innermost(LaneMask lanes);
  void come(const Split& split, bool first);
  void release_complete();
  bool is_complete(const Barrier& barrier) const;
  LaneMask live(LaneMask lanes) const;

  const machine::LaneThreads& threads_;
  ProgramTiming& timing_;
  PolicyCounts& counts_;
  std::vector<Split> splits_;
  std::vector<Barrier> barriers_;
  std::vector<LaneMask> waiting_;
};

}  // namespace heddle::device::sim
