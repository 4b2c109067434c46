// The linker: several PTX modules made one. Names that a module leaves open (.extern, or declared and not defined) get
// what another defines as .visible, .weak or .common; what a module keeps to itself is renamed where two of them clash.
#pragma once

#include <span>

#include "ptx/ir.hpp"
#include "ptx/link/input.hpp"

namespace heddle::ptx {

// Of all .visible definitions of a name there may be one; else the first .weak one, or the largest .common one, is
// taken. Kernels are known by their name in any case. Dynamic shared memory (.extern .shared) of one name is one, and
// so are the functions that CUDA itself provides: they stay open. Lines of the source (.loc) stay, debug information
// (.section) does not: it names places by numbers of its own module. Throws compile_error for names that nothing
// defines, that are defined twice, or that have two signatures; unsupported for variables whose initial values name
// each other in a circle.
Module link(std::span<const LinkInput> inputs);

}  // namespace heddle::ptx
