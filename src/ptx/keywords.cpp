#include "ptx/keywords.hpp"

#include <array>

#include "ptx/name_lookup.hpp"
#include "ptx/type.hpp"
#include "ptx/type_names.hpp"

namespace heddle::ptx {
namespace {

constexpr std::string_view opcode_names[] = {
#define HEDDLE_OPCODE(name, text) text,
#include "ptx/opcode.def"
#undef HEDDLE_OPCODE
};
constexpr std::size_t opcode_count = std::size(opcode_names);

// Without the types; the first row stands for Modifier::none.
constexpr std::string_view modifier_names[] = {
    "",
#define HEDDLE_MODIFIER(name, text) text,
#include "ptx/modifier.def"
#undef HEDDLE_MODIFIER
};
constexpr std::size_t modifier_count = std::size(modifier_names) - 1;
static_assert(static_cast<std::size_t>(Modifier::first_type_) == modifier_count + 1);

constexpr auto opcode_lookup = [] {
  std::array<NameLookup<opcode_count>::Entry, opcode_count> entries{};
  for (std::size_t i = 0; i < opcode_count; ++i) entries[i] = {opcode_names[i], static_cast<std::uint16_t>(i)};
  return NameLookup<opcode_count>(entries);
}();

// Types stand behind the other suffixes, as they do in the enumeration.
constexpr std::size_t type_count = static_cast<std::size_t>(Type::count_) - 1;
constexpr std::size_t suffix_count = modifier_count + type_count;
constexpr auto modifier_lookup = [] {
  std::array<NameLookup<suffix_count>::Entry, suffix_count> entries{};
  for (std::size_t i = 0; i < modifier_count; ++i)
    entries[i] = {modifier_names[i + 1], static_cast<std::uint16_t>(i + 1)};
  for (std::size_t i = 0; i < type_count; ++i)
    entries[modifier_count + i] = {type_names[i + 1],
                                   static_cast<std::uint16_t>(modifier_of(static_cast<Type>(i + 1)))};
  return NameLookup<suffix_count>(entries);
}();

}  // namespace

std::string_view name(Opcode opcode) {
  return opcode == Opcode::count_ ? std::string_view() : opcode_names[static_cast<std::size_t>(opcode)];
}

std::string_view name(Modifier modifier) {
  if (modifier < Modifier::first_type_) return modifier_names[static_cast<std::size_t>(modifier)];
  return name(static_cast<Type>(static_cast<unsigned>(modifier) - static_cast<unsigned>(Modifier::first_type_)));
}

std::optional<Opcode> opcode_from_name(std::string_view name) {
  const std::uint16_t found = opcode_lookup.find(name);
  if (found == opcode_lookup.not_found) return std::nullopt;
  return static_cast<Opcode>(found);
}

std::optional<Modifier> modifier_from_name(std::string_view name) {
  const std::uint16_t found = modifier_lookup.find(name);
  if (found == modifier_lookup.not_found) return std::nullopt;
  return static_cast<Modifier>(found);
}

}  // namespace heddle::ptx
