// Instructions that rewrites add.
#pragma once

#include <cstdint>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// An unconditional `bra` to the label with this index among the function's labels.
Instruction branch_to(std::uint32_t label, const SourceLocation& where);

}  // namespace heddle::ptx
