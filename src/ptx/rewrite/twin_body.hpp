// A function that has its body twice, so that one of the two can be changed and the other be gone on in.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Appends a copy of the body to itself and gives the label (by index) that stands before the copy's first instruction.
// Registers and variables are the same in both: who branches from one to the same place in the other goes on as if
// nothing had been. `stem` as of unused_stem(). The function has no tables of branch targets.
std::uint32_t append_twin(Function& function, std::string_view stem);

}  // namespace heddle::ptx
