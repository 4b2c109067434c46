// Which variables each lane has at an address of its own.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Whether the generic address of the symbol differs from lane to lane: arguments and results of functions, on both
// sides of a call. Code generators keep one for each lane. Local variables have the same offset in all lanes.
inline bool has_lane_address(const Function& function, const SymbolRef& symbol) {
  switch (symbol.kind) {
    case SymbolRef::Kind::parameter: return !function.is_entry;
    case SymbolRef::Kind::return_parameter: return true;
    case SymbolRef::Kind::local_variable: return function.variables[symbol.index].space == Space::param;
    default: return false;
  }
}

}  // namespace heddle::ptx::analysis
