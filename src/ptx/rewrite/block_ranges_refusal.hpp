// What forbids that blocks of a grid run by themselves, or in one of the forms of block_ranges.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/ir.hpp"
#include "ptx/rewrite/grid_values.hpp"
#include "ptx/rewrite/range_entry.hpp"
#include "ptx/rewrite/range_facts.hpp"

namespace heddle::ptx {

struct RangeContext {
  const Module& module;
  const RangeFacts& facts;
  const std::vector<GridValueSet>& needed;  // by function of the module
};

// "atom.global.add.u32 in line 17 of k (saxpy.cu:12)"; without the parenthesis where the source is not known.
std::string describe_place(const Module& module, std::uint32_t function, std::uint32_t instruction);

// The entry and all functions that it may call.
std::vector<std::uint32_t> functions_run(const RangeFacts& facts, std::uint32_t entry);

// A sentence, or nothing when the form is possible; pools have more to ask (block_ranges_pool.hpp).
std::optional<std::string> find_range_refusal(const RangeContext& context, std::uint32_t entry, RangeForm form);

}  // namespace heddle::ptx
