// Loads of loops that step by the size of the grid (grid-stride loops): each turn is as far from the one before as the
// whole grid's share of the array. Processors fetch nothing ahead over such distances, so the code has to.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

// By instruction. `definition` gives the only instruction that defines a register, or ~0.
std::vector<bool> find_far_loads(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg,
                                 const std::vector<std::uint32_t>& definition);

}  // namespace heddle::device::cpu
