// What of a loop depends on what some of its instructions have found: through registers, through memory that the loop
// itself writes, through branches, and through functions that it calls.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "ptx/analysis/effects/call_effect.hpp"
#include "ptx/analysis/effects/memory_place.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

class FoundValues {
 public:
  using Effects = std::function<const CallEffect&(std::uint32_t call)>;

  // The dependents of `finders`, instructions of the loop, ascending. All must outlive the object.
  FoundValues(const Module& module, const Function& function, const ControlFlowGraph& cfg, const Webs& webs,
              const PostDominators& post, const PlaceFinder& places, const Effects& effects, std::uint32_t loop,
              const std::vector<std::uint32_t>& finders);

  bool depends(std::uint32_t instruction) const { return dependent_.contains(instruction); }

 private:
  bool reads_registers(std::uint32_t i) const;
  bool reads_memory(std::uint32_t i) const;
  void add(std::uint32_t i, bool only_found);
  void add_call(std::uint32_t i);
  void add_place(const MemoryPlace& place);
  void add_decided(std::uint32_t block);
  bool is_written(const MemoryPlace& place) const;

  const Module& module_;
  const Function& function_;
  const ControlFlowGraph& cfg_;
  const Webs& webs_;
  const PostDominators& post_;
  const PlaceFinder& places_;
  const Effects& effects_;
  const std::uint32_t loop_;
  std::unordered_set<std::uint32_t> dependent_, written_;   // instructions; those whose effect on memory counts too
  std::unordered_set<std::uint32_t> found_webs_, decided_;  // decided_: blocks
  std::vector<MemoryPlace> places_written_;
};

}  // namespace heddle::ptx::analysis
