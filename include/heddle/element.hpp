// Types of numbers: of the elements of arrays, and of what the parameters of kernels point to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle {

// What two types of elements differ in where one taken for the other gives wrong numbers. Signed and unsigned integers
// are one type: their bytes mean the same where a value fits both.
enum class ElementType : std::uint8_t {
  unknown,  // bytes, structures, types of one byte: fits every kernel
  i8,
  i16,
  i32,
  i64,
  f16,
  f32,
  f64,
  other,  // a number that no kernel's parameter points to under a name that Heddle knows: a complex one
};
// "float", "double", "32-bit integers".
const char* name(ElementType type);

// What a number is in the source, where PTX does not say it.
enum class Number : std::uint8_t { unknown, signed_integer, unsigned_integer, boolean, floating };

// The type of an array's elements. A specialisation says it of a type of the program's own: without one, structures and
// types that the library does not know fit every kernel. Arrays of one-byte types, too, as these hold bytes.
template <typename T>
inline constexpr ElementType element_type = [] {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 2   ? ElementType::f16
           : sizeof(T) == 4 ? ElementType::f32
           : sizeof(T) == 8 ? ElementType::f64
                            : ElementType::other;
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return sizeof(T) == 2   ? ElementType::i16
           : sizeof(T) == 4 ? ElementType::i32
           : sizeof(T) == 8 ? ElementType::i64
                            : ElementType::unknown;
  } else {
    return ElementType::unknown;
  }
}();

}  // namespace heddle
