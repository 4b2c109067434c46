// Special registers (PTX ISA 9.0, chapter 10). Vector registers appear by component: %tid.x is tid_x.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/type.hpp"

namespace heddle::ptx {

enum class SpecialRegister : std::uint8_t {
  none,
#define HEDDLE_SPECIAL(name, text, type) name,
#include "ptx/special_register.def"
#undef HEDDLE_SPECIAL
  count_
};

// "%tid.x"
std::string_view name(SpecialRegister special);
// The natural type; most may also be read into a register of another width (%tid as u16).
Type type_of(SpecialRegister special);
std::optional<SpecialRegister> special_from_name(std::string_view name);
// The first component of a special register that is a vector: tid_x for "%tid"; y and z follow it.
std::optional<SpecialRegister> special_vector(std::string_view name);
// Whether `name` belongs to a special register, so that nothing else in a function may be called so.
bool is_reserved(std::string_view name);

}  // namespace heddle::ptx
