// Accesses of shared memory that cannot race, whatever the other threads of the block do between two barriers.
#pragma once

#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// By instruction of the body: an access through .shared that conflicts with no access that a thread may make between
// the same two barriers of the block. That is so for a weak read if nothing writes there, and for an atomic or another
// strong access if nothing accesses shared memory weakly there. It holds as long as all threads of the block come to
// the same instruction at each barrier.
//
// An interval is what barriers for all threads of a block cut off: basic blocks and parts of them that are connected
// without such a barrier. Nothing is found where shared memory may be accessed in ways that are not followed: by called
// functions, or by asynchronous copies. Costs one pass over the function.
std::vector<bool> conflict_free_accesses(const Module& module, const Function& function, const ControlFlowGraph& cfg);

}  // namespace heddle::ptx::analysis
