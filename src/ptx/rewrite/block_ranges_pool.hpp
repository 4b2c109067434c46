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
  std::string refusal;                 // a sentence; empty: the kernel can run in a pool, and the rest tells how
  std::uint32_t barrier = 0;           // the number of a barrier that the kernel does not use
  bool converged = true;               // lanes of a warp come to the end of the kernel together
  bool warps_are_rows = false;         // RangeEntry::warps_are_rows
  bool waits_for_copies = false;       // cp.async may be under way when the kernel ends
  bool waits_for_bulk_copies = false;  // cp.async.bulk
};

// A thread that leaves the kernel waits in a pool for the others of its block. That goes wrong where they wait for it:
// at a barrier or warp instruction that takes no notice of threads that have left. What a block leaves behind for the
// next is looked for too.
PoolPlan plan_pool(const RangeContext& context, std::uint32_t entry);

struct PoolLoop {
  std::uint32_t again = 0;  // label of the next turn
  std::uint32_t block = 0;  // register: the number of the block to run
};

// Emits the head of the loop: waits for the whole block, takes a number, leaves the kernel when there is none.
// `slot` is the .shared variable of the function through which the first thread hands the number to the others.
PoolLoop emit_pool_head(BodyEditor& editor, const PoolPlan& plan, const HiddenIndices& hidden, std::uint32_t slot,
                        Type address_type, bool processor_mask);

}  // namespace heddle::ptx
