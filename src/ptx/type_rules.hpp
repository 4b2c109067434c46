// PTX's rules of which register or constant may stand where a type is asked for (PTX ISA 9.0, section 9.3 and 9.4.1, as
// ptxas applies them).
#pragma once

#include <string>

#include "ptx/instruction.hpp"

namespace heddle::ptx {

// Untyped registers (.bN) go with every type of their width; integers with integers of either sign; floating-point
// types only with themselves; a .bN operand takes any register of its width. `relaxed` (ld, st, cvt): an integer or
// untyped register may be wider. `wanted` none: any type but pred.
bool register_fits(Type reg, Type wanted, bool relaxed);

// Integers for integer, untyped and predicate operands; real numbers for f32 and f64; 0f... for b32 and 0d... for b64.
bool constant_fits(const Operand& constant, Type wanted);

// "a 32-bit integer or untyped register", for messages.
std::string describe_register(Type wanted, bool relaxed);
// The same and the constants that fit.
std::string describe_value(Type wanted, bool relaxed);

}  // namespace heddle::ptx
