// Where threads of a kernel may wait for other threads: loops that end only when another thread writes something,
// barriers, and operations that need the lanes of a warp together.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/effects/calls.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/analysis/waiting/spin_loop.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

struct FunctionWaiting {
  std::vector<SpinLoop> spin_loops;               // of this function, not of those it calls
  std::vector<std::uint32_t> barriers;            // bar, barrier of the block, in this function
  std::vector<std::uint32_t> divergent_barriers;  // of those, and calls that lead to one: may run while some lanes of
                                                  // the group are inactive and have not exited; also barriers that are
                                                  // not aligned and may have another number in each lane
  std::vector<std::uint32_t> indirect_calls;
  // With all functions that it may call:
  bool has_barrier = false;
  bool has_cluster_barrier = false;
  bool may_spin = false;
  bool sleeps = false;                // nanosleep
  bool needs_warp_semantics = false;  // shfl, vote, match, redux, elect, activemask, bar.warp.sync, lane and warp
                                      // numbers, shared memory that is volatile
  std::uint32_t warp_instruction = no_node;  // the first in this function that does, or a call that leads to one
  bool calls_indirectly = false;
  bool recursive = false;          // is part of a cycle of calls
  bool reaches_recursion = false;  // may call a function that is
  bool prints = false, allocates = false, asserts = false, calls_unknown = false;
  bool uses_local = false;               // .local variables or alloca
  std::vector<std::uint32_t> functions;  // that it may call, directly or through others; ascending
};

// For each function of the module, by index. Divergence is that of groups of `lanes` (UniformityOptions).
std::vector<FunctionWaiting> find_waiting(const Module& module, const UniformityOptions& options);

// The part of one function without those it calls; `uniformity` is of the same webs.
FunctionWaiting find_waiting_in(const Module& module, const Function& function, const ControlFlowGraph& cfg,
                                const Webs& webs, const Uniformity& uniformity);

}  // namespace heddle::ptx::analysis
