// The properties and names of scalar types.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/scalar_type.hpp"

namespace heddle::ptx {

enum class TypeKind : std::uint8_t { none, predicate, bits, unsigned_int, signed_int, floating, opaque };

// Width in bits of one value of the type; 0 for none, 1 for pred; texture, sampler and surface references are 64.
unsigned bit_width(Type type);
// Bytes that a variable of the type takes in memory (pred has no memory form: 0).
unsigned byte_size(Type type);
TypeKind kind(Type type);
// Packed types (f16x2, u16x2, ...) answer with their element type and count; others with themselves and 1.
Type element(Type type);
unsigned element_count(Type type);
inline bool is_integer(Type type) {
  const TypeKind k = kind(type);
  return k == TypeKind::unsigned_int || k == TypeKind::signed_int;
}
inline bool is_signed(Type type) { return kind(type) == TypeKind::signed_int; }
inline bool is_float(Type type) { return kind(type) == TypeKind::floating; }
inline bool is_bits(Type type) { return kind(type) == TypeKind::bits; }

// The name without the dot ("u32").
std::string_view name(Type type);
std::optional<Type> type_from_name(std::string_view name);

}  // namespace heddle::ptx
