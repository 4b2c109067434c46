// Scalar functions for what generated code does not do inline: directed rounding without hardware help, the small
// floating-point formats, video instructions and the like. They evaluate the exact semantics of ptx/semantics, lane by
// lane.
#pragma once

#include <cstdint>

namespace heddle::device::cpu {

enum class SoftFunction : unsigned {
#define HEDDLE_SOFT_FUNCTION(name) name,
#include "device/cpu/codegen/soft_functions.def"
#undef HEDDLE_SOFT_FUNCTION
  count_
};

// The signature of all of them. `result` and the operands (null when the function has fewer) are arrays of `lanes`
// elements, each of the operand type's size in bytes. `code` says which operation, as packed by SoftCode. They do not
// throw for codes that the code generator makes.
using SoftFunctionPointer = void (*)(std::uint32_t lanes, std::uint64_t code, void* result, const void* a,
                                     const void* b, const void* c);

// The table for RuntimeTable::soft: as many entries as SoftFunction has numbers.
void (*const* soft_functions())();

}  // namespace heddle::device::cpu
