// Rules about suffixes that one form's list of positions cannot say: what excludes or needs what across positions, and
// since when single suffixes exist.
#pragma once

#include <optional>
#include <string>

#include "ptx/form_table.hpp"

namespace heddle::ptx {

struct SuffixConflict {
  Modifier offender = Modifier::none;
  std::string expected;  // ".L2::cache_hint only with .global or generic addresses"
};

// Looks at suffixes that fit a form. Fast when there is nothing to say.
std::optional<SuffixConflict> find_conflict(Opcode opcode, const ModifierList& modifiers, const Decoded& d);

// The first PTX version and target that have all of an instruction's suffixes, its form's included.
Since since(const Form& form, const ModifierList& modifiers);

}  // namespace heddle::ptx
