// The values that loads give the lanes of a group.
#pragma once

#include "ptx/analysis/lanes/lane_context.hpp"
#include "ptx/analysis/lanes/lane_value.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// `inst`: ld or ldu. `address`: of its operand, with a known kind.
LaneValue loaded_value(const LaneContext& context, const Instruction& inst, const LaneValue& address);

}  // namespace heddle::ptx::analysis
