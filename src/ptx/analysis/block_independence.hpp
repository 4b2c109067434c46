// Can a launch be split into ranges of blocks that run independently, in any order? (The question of Kernelet's
// slicing, section 4.1 of its paper.)
//
// What blocks do to one another goes through global memory. Atomics whose result nobody uses commute, so their order
// does not matter, and neither does that of compare-and-swap loops that retry until they succeed. A result that is used
// depends on how many blocks came before: tickets, work queues, "am I the last". A loop that ends when memory changes
// waits for the block that changes it: for an earlier block if the place waited at is found by subtracting from the
// block's own number (decoupled look-back), for any block otherwise (grid barriers, locks). Shared memory is the
// block's own, or its cluster's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/analysis/waiting/waiting.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

enum class BlockOrder : std::uint8_t {
  independent,  // any ranges, in any order, at the same time or not
  ordered,  // ranges in increasing order, each after the one before has ended: later blocks use what earlier ones left
  cooperative,  // blocks wait for one another: all must be resident together
  unknown,      // calls code that is not there
};
const char* name(BlockOrder order);

struct BlockIndependence {
  BlockOrder order = BlockOrder::independent;
  // Ranges must consist of whole clusters: blocks of a cluster share memory or wait for each other.
  bool whole_clusters = false;
  // What forbids more: an instruction of a function of the module. Empty text when blocks are independent.
  std::uint32_t function = no_node;
  std::uint32_t instruction = 0;
  std::string reason;
  bool independent() const { return order == BlockOrder::independent && !whole_clusters; }
};

// For each function of the module, with those that it calls.
std::vector<BlockIndependence> find_block_independence(const Module& module,
                                                       const std::vector<FunctionWaiting>& waiting);

// "atom.add.u32 at line 17: ..." for messages.
std::string describe(const Module& module, const BlockIndependence& independence);

}  // namespace heddle::ptx::analysis
