// Ranges of one launch that overlap: the blocks of the next one begin where those of the last leave room, although both
// are in one queue.
#pragma once

#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/rewrite/body_editor.hpp"

namespace heddle::ptx {

// Programmatic dependent launch is made for kernels that follow one another; here it is for parts of one. Every thread
// says at once that the next grid may begin, which it does when all blocks of this one have begun. The first block waits
// until the grid before has ended: so a part has not ended before all parts before it have, and what comes after the
// last one finds the whole launch done.

// Whether the entry's kernel may be run so: its blocks are independent, in no clusters, and it has no
// griddepcontrol of its own.
bool may_overlap(const Module& module, const RangeFacts& facts, std::uint32_t entry);

// Whether raise_target() is harmless: PTX 6.4 and sm_70 at least, below which instructions mean something that newer
// targets do not have.
bool can_raise_target(const Module& module);
// To what the instruction needs, PTX 7.8 and sm_90, if it is less.
void raise_target(Module& module);

// Emits that where the kernel begins.
void emit_overlap(BodyEditor& editor, RangeForm form);

}  // namespace heddle::ptx
