#include "ptx/type.hpp"

#include <array>

#include "ptx/name_lookup.hpp"
#include "ptx/type_names.hpp"

namespace heddle::ptx {
namespace {

struct Properties {
  TypeKind kind;
  std::uint8_t bits;
  Type element;
  std::uint8_t elements;
};

constexpr std::size_t type_count = static_cast<std::size_t>(Type::count_);

constexpr Properties scalar(TypeKind kind, std::uint8_t bits) { return {kind, bits, Type::none, 1}; }
constexpr Properties packed(TypeKind kind, std::uint8_t bits, Type element, std::uint8_t elements) {
  return {kind, bits, element, elements};
}

// In the order of the enumeration.
constexpr std::array<Properties, type_count> properties = {{
    scalar(TypeKind::none, 0),
    scalar(TypeKind::predicate, 1),
    scalar(TypeKind::bits, 1),
    scalar(TypeKind::bits, 4),
    scalar(TypeKind::bits, 8),
    scalar(TypeKind::bits, 16),
    scalar(TypeKind::bits, 32),
    scalar(TypeKind::bits, 64),
    scalar(TypeKind::bits, 128),
    scalar(TypeKind::unsigned_int, 4),
    scalar(TypeKind::unsigned_int, 8),
    scalar(TypeKind::unsigned_int, 16),
    scalar(TypeKind::unsigned_int, 32),
    scalar(TypeKind::unsigned_int, 64),
    scalar(TypeKind::signed_int, 4),
    scalar(TypeKind::signed_int, 8),
    scalar(TypeKind::signed_int, 16),
    scalar(TypeKind::signed_int, 32),
    scalar(TypeKind::signed_int, 64),
    packed(TypeKind::unsigned_int, 32, Type::u16, 2),
    packed(TypeKind::signed_int, 32, Type::s16, 2),
    packed(TypeKind::unsigned_int, 32, Type::u8, 4),
    packed(TypeKind::signed_int, 32, Type::s8, 4),
    scalar(TypeKind::floating, 16),
    packed(TypeKind::floating, 32, Type::f16, 2),
    scalar(TypeKind::floating, 16),
    packed(TypeKind::floating, 32, Type::bf16, 2),
    scalar(TypeKind::floating, 32),
    scalar(TypeKind::floating, 32),
    packed(TypeKind::floating, 64, Type::f32, 2),
    scalar(TypeKind::floating, 64),
    scalar(TypeKind::floating, 8),
    scalar(TypeKind::floating, 8),
    scalar(TypeKind::floating, 6),
    scalar(TypeKind::floating, 6),
    scalar(TypeKind::floating, 4),
    scalar(TypeKind::floating, 8),
    packed(TypeKind::floating, 16, Type::e4m3, 2),
    packed(TypeKind::floating, 16, Type::e5m2, 2),
    packed(TypeKind::floating, 16, Type::e3m2, 2),
    packed(TypeKind::floating, 16, Type::e2m3, 2),
    packed(TypeKind::floating, 8, Type::e2m1, 2),
    packed(TypeKind::floating, 16, Type::ue8m0, 2),
    packed(TypeKind::floating, 32, Type::e4m3, 4),
    packed(TypeKind::floating, 32, Type::e5m2, 4),
    packed(TypeKind::floating, 32, Type::e3m2, 4),
    packed(TypeKind::floating, 32, Type::e2m3, 4),
    packed(TypeKind::floating, 16, Type::e2m1, 4),
    scalar(TypeKind::opaque, 64),
    scalar(TypeKind::opaque, 64),
    scalar(TypeKind::opaque, 64),
}};

constexpr auto lookup = [] {
  std::array<NameLookup<type_count - 1>::Entry, type_count - 1> entries{};
  for (std::size_t i = 1; i < type_count; ++i) entries[i - 1] = {type_names[i], static_cast<std::uint16_t>(i)};
  return NameLookup<type_count - 1>(entries);
}();

const Properties& of(Type type) { return properties[static_cast<std::size_t>(type)]; }

}  // namespace

unsigned bit_width(Type type) { return of(type).bits; }
unsigned byte_size(Type type) { return type == Type::pred ? 0 : (of(type).bits + 7u) / 8u; }
TypeKind kind(Type type) { return of(type).kind; }
Type element(Type type) { return of(type).elements > 1 ? of(type).element : type; }
unsigned element_count(Type type) { return of(type).elements; }
std::string_view name(Type type) { return type_names[static_cast<std::size_t>(type)]; }

std::optional<Type> type_from_name(std::string_view name) {
  const std::uint16_t found = lookup.find(name);
  if (found == lookup.not_found) return std::nullopt;
  return static_cast<Type>(found);
}

}  // namespace heddle::ptx
