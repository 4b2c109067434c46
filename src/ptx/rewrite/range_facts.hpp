// What analyses say of a module whose kernels are to run in ranges of blocks.
#pragma once

#include <vector>

#include "ptx/analysis/block_independence.hpp"
#include "ptx/analysis/waiting/waiting.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx {

// Expensive to find: callers that need it more than once keep it.
struct RangeFacts {
  std::vector<analysis::FunctionWaiting> waiting;
  std::vector<analysis::BlockIndependence> blocks;
};
RangeFacts find_range_facts(const Module& module);

}  // namespace heddle::ptx
