// Loads before what does not need them, as compilers of machine code schedule them.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Reorders the instructions within each basic block so that loads from memory, and what computes their addresses, come
// as early as data and memory dependences permit. A processor that issues in order then has several loads in flight
// before it needs the first value: the order that ptxas gives to the same PTX. At most `in_flight` loads are pulled
// before an instruction that uses one of them. What each thread computes stays the same. Loads do not pass stores that
// may write the same memory; no access to memory passes a volatile one, and nothing passes barriers, calls, fences,
// atomics with an order and readings of clocks. Labels, and the instructions that end blocks, stay where they are.
// Pure; linear but for a factor log n.
void hoist_loads(Function& function, unsigned in_flight = 16);

// Of all functions of the module: a copy.
Module hoist_loads(const Module& module, unsigned in_flight = 16);

}  // namespace heddle::ptx
