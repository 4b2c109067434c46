// What the values of a function's lanes are computed from.
#pragma once

#include <vector>

#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/lane_model.hpp"
#include "ptx/analysis/lanes/lane_value.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

struct LaneContext {
  const Module& module;
  const Function& function;
  const Webs& webs;
  const std::vector<LaneValue>& values;  // known so far, by web
  const LaneModel& lanes;
  bool uniform_parameters;           // of a .func, see UniformityOptions
  bool local_has_generic_addresses;  // a generic address may point into local memory
};

}  // namespace heddle::ptx::analysis
