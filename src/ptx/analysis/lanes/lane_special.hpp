// The values of special registers in the lanes of a group.
#pragma once

#include "ptx/analysis/lanes/lane_model.hpp"
#include "ptx/analysis/lanes/lane_value.hpp"
#include "ptx/special_register.hpp"

namespace heddle::ptx::analysis {

LaneValue value_of_special(const LaneModel& model, SpecialRegister special);

}  // namespace heddle::ptx::analysis
