// DivergencePolicy: which threads of a block issue together after they have parted, and in which order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/machine/effects.hpp"
#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"
#include "device/sim/policies/audit.hpp"
#include "device/sim/policies/lane_map.hpp"
#include "device/sim/policies/options.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

// One object for each resident block. The SM calls it for one group at a time.
class DivergencePolicy {
 public:
  virtual ~DivergencePolicy() = default;

  // The groups that can issue, or will when what they wait for is there. No thread is in two of them. A group stays at
  // its address while it is in the list.
  virtual std::span<IssueGroup* const> groups() = 0;
  // The group has executed the operation at `group.at`: its threads are at their new places, wait or have exited. Sets
  // mask and place of the groups that are concerned. Returns whether the list of groups has changed.
  virtual bool retire(IssueGroup& group, const machine::Effects& effects) = 0;
  // Threads of the warp that waited at a barrier or for other lanes have moved on. Returns as retire().
  // They can issue from `not_before` on.
  virtual bool resume(std::uint32_t warp, Cycle not_before) = 0;
  // The threads of the group repeat the same steps while nothing changes in memory: others may have to run first.
  // Returns as retire().
  virtual bool yield(IssueGroup& /*group*/) { return false; }
  // Groups of a warp issue in one slot, each lane at its own place (the MIMD bound).
  virtual bool shares_slots() const { return false; }
  // How many entries the warp's stack has, for policies that have one.
  virtual std::size_t depth(std::uint32_t /*warp*/) const { return 1; }

  // Tells the audit where every thread of the block is, and what else must hold after a cycle.
  virtual void audit(PolicyAudit& audit) const = 0;

  // For policies that form warps anew at write-back. An instruction of a group that has issued is then the only one of
  // its threads that is under way: retire() takes the group from the list, but leaves it where it is, and the SM calls
  // write_back() when its results are there.
  virtual bool forms_warps() const { return false; }
  struct Returned {
    bool changed = false;  // as retire()
    bool more = false;     // it could not take all in this slot: call again in the next one
  };
  virtual Returned write_back(IssueGroup& /*group*/) { return {}; }
  // Instead of resume(): a group of the threads of the warp that have moved on, for write_back(); null: there are none.
  virtual IssueGroup* released(std::uint32_t /*warp*/) { return nullptr; }
};

struct DivergenceContext {
  machine::Block& block;
  ProgramTiming& timing;
  const LaneMap& lanes;
  const PolicyOptions& options;
  PolicyCounts& counts;
  const Cycle& now;                  // of the SM
  std::vector<std::uint32_t> slots;  // of the block's warps on the SM
  unsigned pools = 1;                // scheduler s has the warps of slots s, s + pools, ...
  unsigned sm_warps = 48;            // that the SM holds
  bool wide = false;                 // two warps side by side are one of 64 threads, and two contexts of it can issue
};

std::unique_ptr<DivergencePolicy> make_pdom(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_nrec(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_mimd(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_dynamic_warps(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_frontier(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_convergence(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_compaction(const DivergenceContext& context);

}  // namespace heddle::device::sim
