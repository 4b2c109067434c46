// Replaces what a body reads of the grid by values that come from elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/grid_values.hpp"

namespace heddle::ptx {

// Copies of .func that take grid values as further parameters instead of reading them.
struct GridCopies {
  static constexpr std::uint32_t no_copy = 0xFFFFFFFF;
  std::vector<GridValueSet> needed;   // by function of the module (values_needed)
  std::vector<std::uint32_t> copies;  // by function of the module: the index of its copy, or no_copy
};

// Writes the old body of `editor` anew: every read of a grid value reads what `source` emits before it, calls of
// functions that have copies call those, and, where `leave` names a label, ret and exit branch there, as does the end
// of the body. `module` is what the calls name functions of.
void rewrite_grid_reads(BodyEditor& editor, const Module& module, const GridCopies& copies, GridValueSource& source,
                        std::optional<std::uint32_t> leave = std::nullopt);

// How many instructions of the body need values of the source.
std::size_t count_grid_reads(const Function& function, const Module& module, const GridCopies& copies);

// A copy of a .func, called `name`, that has parameters for the values that it needs, after its own.
Function copy_with_grid_parameters(const Module& module, std::uint32_t function, const std::string& name,
                                   std::string_view stem, const GridCopies& copies);

}  // namespace heddle::ptx
