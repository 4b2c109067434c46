// Whether launches of a kernel with the same arrays may run at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::batch {

// Why a launch must wait until the one before it has ended, for results as those of launches one after the other; empty
// if it need not. It must where the kernel both reads and writes an array or a variable of its module, or may do so:
// a launch reads what the one before has written. Atomic operations read and write. A kernel that writes only what it
// does not read writes the same in each launch. `function`: index of a kernel of the module. `arrays`: which of its
// parameters get arrays, each another one.
std::string find_why_ordered(const ptx::Module& module, std::uint32_t function, const std::vector<bool>& arrays);

}  // namespace heddle::batch
