// A kernel in a module of its own.
#pragma once

#include <cstdint>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// A module with this entry, and of the rest only the variables and declarations of functions that its body names.
// inline_calls has been at it: what is named of other functions is only declared. Pure.
Module single_kernel(const Module& module, const Function& entry);

}  // namespace heddle::ptx
