// The prelude form: blocks outside of the range leave where the kernel begins.
#pragma once

#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/grid_values.hpp"

namespace heddle::ptx {

// Emits the check; grids of fewer than 2^32 blocks. All threads of a block decide alike.
void emit_prelude(BodyEditor& editor, const HiddenIndices& hidden);

}  // namespace heddle::ptx
