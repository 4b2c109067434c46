// The loads through which a kernel reads what its parameters point to.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Of one parameter of a kernel.
struct ParameterLoads {
  // Its memory is only read, and every access to it is one of `loads`: plain `ld`s whose address comes from this
  // parameter and from no other.
  bool complete = false;
  std::vector<std::uint32_t> loads;  // instructions of the body, in order
};

// For each parameter of a function of the module (by index), after inline_calls. None is complete in functions that
// call others (calls.hpp), or that access memory of which nothing is known.
std::vector<ParameterLoads> find_parameter_loads(const Module& module, std::uint32_t function);

}  // namespace heddle::ptx::analysis
