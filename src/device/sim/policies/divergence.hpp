// DivergencePolicy: which threads of a block issue together after they have parted, and in which order.
#pragma once

#include <memory>
#include <span>

#include "device/machine/effects.hpp"
#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"

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
  virtual bool resume(std::uint32_t warp) = 0;
  // The threads of the group repeat the same steps while nothing changes in memory: others may have to run first.
  // Returns as retire().
  virtual bool yield(IssueGroup& /*group*/) { return false; }
  // Groups of a warp issue in one slot, each lane at its own place (the MIMD bound).
  virtual bool shares_slots() const { return false; }
};

struct DivergenceContext {
  machine::Block& block;
  ProgramTiming& timing;
};

std::unique_ptr<DivergencePolicy> make_pdom(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_nrec(const DivergenceContext& context);
std::unique_ptr<DivergencePolicy> make_mimd(const DivergenceContext& context);

}  // namespace heddle::device::sim
