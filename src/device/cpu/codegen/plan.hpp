// Which shape a kernel's code takes on the CPU: how many lanes run side by side, and whether warps can wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cpu/codegen/codegen.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

struct Plan {
  Shape shape = Shape::direct;
  unsigned lanes = 32;
  bool may_wait = false;            // some loop may be waiting for another warp or block
  std::vector<bool> counted_loops;  // of these, which end after a number of turns, too
  std::vector<bool> spin_loops;     // by loop of the function's control flow graph: which
  // Direct shape: 0, or the order in which warps run is rows of this many threads (see BlockLoops::by_rows).
  std::uint32_t row_threads = 0;
  std::string explanation;
};

// `function` with its calls inlined and webs split; `calls_remain`: it still calls functions of the module.
Plan make_plan(const ptx::Module& module, const ptx::Function& function, bool calls_remain,
               const CodegenOptions& options);

}  // namespace heddle::device::cpu
