// Finding the form that an instruction has.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ptx/form_table.hpp"
#include "ptx/written_operand.hpp"

namespace heddle::ptx {

// True when the suffixes are those of the form: in its order, or (`any_order`) in any order as long as types keep
// theirs, which is what ptxas takes too.
bool suffixes_fit(const FormFamily& family, const Form& form, const ModifierList& modifiers, bool any_order);

// True when one operand can stand in a slot, as far as its kind decides (the verifier checks the types of registers).
bool operand_fits(const SlotPattern& slot, const Operand& operand, bool parenthesised, unsigned vector);

// Gives each slot the number of the written operand that belongs there, -1 where an optional one is missing. False when
// the operands do not fit.
using Assignment = std::array<std::int8_t, 12>;
bool assign_operands(std::span<const SlotPattern> slots, std::span<const WrittenOperand> written,
                     const ModifierList& modifiers, Assignment& assignment);

// The form of an instruction whose operands are already in slots; no_form when none fits.
FormId find_form(const Instruction& inst);

// The form of an instruction: by its id when resolve() set one, else searched for; empty when no form fits.
FormRef form_of(const Instruction& inst);

}  // namespace heddle::ptx
