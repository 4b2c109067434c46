// What the suffixes and operands of each instruction may be. One table (form_table.cpp) describes every form of every
// instruction; the parser decodes with it, the verifier checks with it, analyses get definitions and uses from it, and
// the support table in docs/ is generated from it.
#pragma once

#include "ptx/ir.hpp"
#include "ptx/slot.hpp"

namespace heddle::ptx {

// The slots of an instruction, with types resolved by its suffixes; as many as inst.operands.
SlotList slots(const Instruction& inst);

// Calls f(register index, Slot) for each register the instruction writes, elements of vectors included; a guard does
// not change this (a guarded definition may leave the old value).
template <class F>
void for_each_def(const Instruction& inst, F&& f);
// Calls f(register index, Slot) for each register it reads: sources, address bases, guard (a pred slot), call
// arguments.
template <class F>
void for_each_use(const Instruction& inst, F&& f);

}  // namespace heddle::ptx

#include "ptx/forms_inl.hpp"
