// Mnemonics and suffixes: their enumerators and their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/scalar_type.hpp"

namespace heddle::ptx {

enum class Opcode : std::uint8_t {
#define HEDDLE_OPCODE(name, text) name,
#include "ptx/opcode.def"
#undef HEDDLE_OPCODE
  count_
};
// The mnemonic without suffixes ("ld").
std::string_view name(Opcode opcode);
std::optional<Opcode> opcode_from_name(std::string_view name);

enum class Modifier : std::uint16_t {
  none,
#define HEDDLE_MODIFIER(name, text) name,
#include "ptx/modifier.def"
#undef HEDDLE_MODIFIER
  // A type suffix is first_type_ + the Type's value.
  first_type_,
};
constexpr Modifier modifier_of(Type type) {
  return static_cast<Modifier>(static_cast<unsigned>(Modifier::first_type_) + static_cast<unsigned>(type));
}
// Without the leading dot; types are suffixes too.
std::string_view name(Modifier modifier);
std::optional<Modifier> modifier_from_name(std::string_view name);

}  // namespace heddle::ptx
