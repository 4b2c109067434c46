// Ranges of one launch that overlap: the blocks of the next one begin where those of the last leave room, although both
// are in one queue.
#pragma once

#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/grid_values.hpp"

namespace heddle::ptx {

// Programmatic dependent launch is made for kernels that follow one another; here it is for parts of one. The last
// blocks, as many as the GPU holds at a time (HiddenValue::late), say at once that the next grid may begin, which it
// does when they have begun and the others have ended: in a kernel that only moves data, saying so in all blocks costs
// a third of its time. The first block waits until the grid before has ended: so a part has not ended before all parts
// before it have, and what comes after the last one finds the whole launch done.

// Whether the entry's kernel may be run so: its blocks are independent, in no clusters, and it has no
// griddepcontrol of its own.
bool may_overlap(const Module& module, const RangeFacts& facts, std::uint32_t entry);

// Whether raise_target() is harmless: PTX 6.4 and sm_70 at least, below which instructions mean something that newer
// targets do not have.
bool can_raise_target(const Module& module);
// To what the instruction needs, PTX 7.8 and sm_90, if it is less.
void raise_target(Module& module);

// Emits that where the kernel begins.
void emit_overlap(BodyEditor& editor, RangeForm form, const HiddenIndices& hidden);

}  // namespace heddle::ptx
