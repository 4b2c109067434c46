// Names of mnemonics and suffixes, from text to enumerator.
#pragma once

#include <optional>
#include <string_view>

#include "ptx/instruction.hpp"

namespace heddle::ptx {

// "ld", without suffixes.
std::optional<Opcode> opcode_from_name(std::string_view name);
// Without the leading dot; types are suffixes too.
std::optional<Modifier> modifier_from_name(std::string_view name);

}  // namespace heddle::ptx
