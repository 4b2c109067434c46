// The loop of persistent blocks: which kernels can run in it, and its code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/rewrite/block_ranges_refusal.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/grid_values.hpp"

namespace heddle::ptx {

struct PoolPlan {
  std::string refusal;                 // a sentence; empty: the kernel can run in a pool, with the other members
  std::uint32_t barrier = 0;           // the number of a barrier that the kernel does not use
  bool converged = true;               // lanes of a warp reach the end of the kernel converged
  bool warps_are_rows = false;         // RangeEntry::warps_are_rows
  bool waits_for_copies = false;       // cp.async may be in flight when the kernel ends
  bool waits_for_bulk_copies = false;  // cp.async.bulk
};

// In a pool a thread that exits the kernel waits for the others of its block. That is a deadlock where they wait for
// it: at a barrier or warp instruction that counts exited threads. State that a block leaves to the next one is checked
// too.
PoolPlan plan_pool(const RangeContext& context, std::uint32_t entry);

struct PoolLoop {
  std::uint32_t again = 0;  // label of the next iteration
  std::uint32_t block = 0;  // register: the number of the block to run
};

// Emits the head of the loop: waits for the whole block, takes a number, exits the kernel when none is left.
// `slot` is the .shared variable of the function through which the first thread passes the number to the others.
PoolLoop emit_pool_head(BodyEditor& editor, const PoolPlan& plan, const HiddenIndices& hidden, std::uint32_t slot,
                        Type address_type, bool processor_mask);

}  // namespace heddle::ptx
