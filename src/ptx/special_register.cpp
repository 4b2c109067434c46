#include "ptx/special_register.hpp"

#include <array>
#include <cstring>

#include "ptx/name_lookup.hpp"

namespace heddle::ptx {
namespace {

struct Properties {
  std::string_view name;
  Type type;
};

// The first row stands for SpecialRegister::none.
constexpr Properties properties[] = {
    {"", Type::none},
#define HEDDLE_SPECIAL(name, text, type) {text, Type::type},
#include "ptx/special_register.def"
#undef HEDDLE_SPECIAL
};
constexpr std::size_t register_count = std::size(properties) - 1;

constexpr auto lookup = [] {
  std::array<NameLookup<register_count>::Entry, register_count> entries{};
  for (std::size_t i = 0; i < register_count; ++i)
    entries[i] = {properties[i + 1].name, static_cast<std::uint16_t>(i + 1)};
  return NameLookup<register_count>(entries);
}();

}  // namespace

std::string_view name(SpecialRegister special) { return properties[static_cast<std::size_t>(special)].name; }
Type type_of(SpecialRegister special) { return properties[static_cast<std::size_t>(special)].type; }

std::optional<SpecialRegister> special_from_name(std::string_view name) {
  const std::uint16_t found = lookup.find(name);
  if (found == lookup.not_found) return std::nullopt;
  return static_cast<SpecialRegister>(found);
}

std::optional<SpecialRegister> special_vector(std::string_view name) {
  constexpr std::size_t longest = 32;
  char text[longest + 2];
  if (name.empty() || name.size() > longest) return std::nullopt;
  std::memcpy(text, name.data(), name.size());
  text[name.size()] = '.';
  text[name.size() + 1] = 'x';
  return special_from_name({text, name.size() + 2});
}

bool is_reserved(std::string_view name) { return special_from_name(name) || special_vector(name); }

}  // namespace heddle::ptx
