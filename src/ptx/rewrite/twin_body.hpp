// A function that has its body twice, so that one copy can be changed and execution can continue in the other.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Appends a copy of the body to itself and gives the label (by index) that stands before the copy's first instruction.
// Registers and variables are the same in both: a branch from one to the same place in the other continues
// with the same state. `stem` as of unused_stem(). The function has no tables of branch targets.
std::uint32_t append_twin(Function& function, std::string_view stem);

}  // namespace heddle::ptx
