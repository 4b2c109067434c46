// Which instructions are executed for all lanes at once, and how.
#pragma once

#include "device/machine/operation.hpp"

namespace heddle::device::machine {

// Of a decoded instruction of a function without registers of more than 64 bits.
RowOp row_op(const Operation& operation, const ptx::Function& function);

}  // namespace heddle::device::machine
