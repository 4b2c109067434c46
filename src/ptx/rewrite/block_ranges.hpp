// Entries that run only some blocks of a grid. A GPU launches whole grids; what it is given beside each original entry,
// which stays as it is, are added entries that see the block and grid numbers of the whole launch although another
// grid, or none of its shape, is launched. docs/block-ranges.md says which form is for what. (Compare Kernelet's
// slices, LithOS's prelude, and the persistent blocks of Elastic Kernels.)
//
// An added entry has the parameters of the original, followed by hidden ones: only those whose values its code reads.
// block_ranges_plan.hpp says what to launch and what the hidden parameters are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/ir.hpp"
#include "ptx/rewrite/range_entry.hpp"
#include "ptx/rewrite/range_facts.hpp"

namespace heddle::ptx {

// Why an entry has no such form.
struct RangeRefusal {
  std::uint32_t original = 0;
  RangeForm form = RangeForm::box;
  std::string
      reason;  // a sentence that names the instruction with its line in the PTX, and in the source if it is known
};

struct RangeModule {
  Module module;  // the functions of the original at the same indices, unchanged, then copies of .func, then entries
  std::vector<RangeEntry> entries;  // by original entry, then in the order in which forms were asked for
  std::vector<RangeRefusal> refusals;

  const RangeEntry* find(std::uint32_t original, RangeForm form) const;
};

struct RangeOptions {
  bool processor_mask = false;  // pools check %smid against a mask before they take a block
};

// `module` must be one that verifies. Adds an entry of each form for each entry with a body, where nothing forbids it.
// Pure.
RangeModule add_range_entries(Module module, std::span<const RangeForm> forms, const RangeFacts& facts,
                              const RangeOptions& options = {});
RangeModule add_range_entries(Module module, std::span<const RangeForm> forms, const RangeOptions& options = {});

}  // namespace heddle::ptx
