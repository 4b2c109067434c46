// Loops that one lane of a group runs while the others are on their way to a barrier of the block, as the barrier of a
// grid has them: if (threadIdx.x == 0) { arrive; while (not all have arrived) {} } __syncthreads();
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

class LoneLanes {
 public:
  // All must outlive the object.
  LoneLanes(const Function& function, const ControlFlowGraph& cfg, const Webs& webs, const Uniformity& uniformity);

  // Whether at most one lane of a group runs the loop, and the others write nothing until they are at a barrier with
  // it, or gone: then it waits for no lane of its group. False where that is not seen.
  bool runs_alone(std::uint32_t loop) const;

 private:
  // A branch at which lanes part, all paths to the loop go through one side of it, and lanes of the other side write
  // nothing. `values`: lanes on the loop's side have the same number in each.
  struct Guard {
    bool apart = false;  // lanes may be elsewhere already
    std::vector<LaneValue> values;
  };
  std::optional<Guard> guard_at(std::uint32_t block, std::uint32_t header) const;
  bool leads_to_barrier(std::uint32_t block) const;
  void add_predicate(std::uint32_t web, bool truth, unsigned depth, std::vector<LaneValue>& values) const;
  void add_equal(std::uint32_t instruction, std::uint16_t a, std::uint16_t b, std::vector<LaneValue>& values) const;
  void add_zero(std::uint32_t instruction, std::uint16_t operand, unsigned depth, std::vector<LaneValue>& values) const;
  bool differ_in_all_lanes(const std::vector<LaneValue>& values) const;
  std::uint32_t only_definition(std::uint32_t web) const;

  const Function& function_;
  const ControlFlowGraph& cfg_;
  const Webs& webs_;
  const Uniformity& uniformity_;
  const DominatorTree dominators_;
  std::vector<std::uint32_t> definition_of_;  // by web: the instruction, no_node where there is not exactly one
};

}  // namespace heddle::ptx::analysis
