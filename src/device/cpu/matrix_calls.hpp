// Products of matrices, as generated code calls them.
#pragma once

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

void add_matrix_calls(RuntimeTable& table);

}  // namespace heddle::device::cpu
