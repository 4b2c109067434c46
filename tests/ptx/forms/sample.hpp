// Instances of instruction forms as text, for tests that ask another assembler about them.
#pragma once

#include <string>
#include <vector>

#include "ptx/form_table.hpp"

namespace heddle::ptx {

struct Sample {
  const Form* form = nullptr;
  ModifierList modifiers;
  std::string text;  // one instruction with its semicolon
};

// The instruction with operands after the form's slots: registers of the right width, declared by sample_prologue().
// Optional operands are written when `all_optional`. `vectors`: where a scalar and a vector may stand, take the vector.
std::string sample_text(const FormFamily& family, const Form& form, const ModifierList& modifiers, bool all_optional,
                        bool vectors);

// Samples of one form, `limit` suffix lists at most.
std::vector<Sample> samples(const FormFamily& family, const Form& form, std::size_t limit);

// Suffix lists near those of the form that no form of its opcode has: one suffix dropped, added or exchanged.
std::vector<Sample> wrong_neighbours(const FormFamily& family, const Form& form, std::size_t limit);

// What stands before the samples in a module, up to and including the kernel's register declarations.
std::string sample_prologue(const std::string& version, const std::string& target);

}  // namespace heddle::ptx
