// Every place of a module that names a variable or a function of it, for reading and for renumbering.
#pragma once

#include <functional>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Calls `see` with each symbol that an initial value names.
void for_each_reference(Variable& variable, const std::function<void(SymbolRef&)>& see);
// And with each that a function names: in operands, in initial values, in tables of call targets.
void for_each_reference(Function& function, const std::function<void(SymbolRef&)>& see);

}  // namespace heddle::ptx
