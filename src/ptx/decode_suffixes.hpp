// From suffixes to what they mean.
#pragma once

#include "ptx/instruction.hpp"

namespace heddle::ptx {

// What the suffixes say, with the defaults that PTX defines filled in: atom and red are relaxed at gpu scope, fence is
// acq_rel, membar is sc, barrier.cluster.arrive is release and .wait acquire. The suffixes need not be those of a form.
//
// The type suffixes fill type, type2, type3 and type4 in the order in which they stand: cvt and set: result, source;
// slct: values, selector; dp4a, dp2a and vset: a, b; mma and wgmma: d, a, b (, c); wmma.mma: d, a, b, c, or d, c where
// a and b are f16; tex: result, coordinates; scalar and SIMD video: d, a, b; cvt.pack: result, a and b (, c).
// Everywhere else the first is the type of the operands or of the data in memory.
Decoded decode_suffixes(Opcode opcode, const ModifierList& modifiers);

// 2, 4 or 8 for .v2, .v4, .v8, else 1.
unsigned vector_suffix(const ModifierList& modifiers);

}  // namespace heddle::ptx
