// A module: the kernels and variables of one PTX text.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "heddle/element.hpp"
#include "heddle/kernel.hpp"

namespace heddle {

namespace runtime {
class ModuleState;
}

// What is known of a variable of a module.
struct VariableType {
  // Of the number that it is, or of the numbers of an array; unknown where PTX has bytes or bits, as of structures and
  // of most arrays.
  ElementType element = ElementType::unknown;
  bool is_array = false;  // of numbers, or of the bytes of something else
  std::size_t bytes = 0;
};

// The type of what a value of type T has, as element_type, also of std::array and of arrays.
template <typename T>
inline constexpr ElementType value_type = element_type<T>;
template <typename T, std::size_t n>
inline constexpr ElementType value_type<T[n]> = value_type<T>;
template <typename T, std::size_t n>
inline constexpr ElementType value_type<std::array<T, n>> = value_type<T>;

// A light handle; copies refer to the same module, and kernels keep it alive. Any thread. A handle that was moved from
// throws invalid_argument.
class Module {
 public:
  explicit Module(std::shared_ptr<runtime::ModuleState> state) : state_(std::move(state)) {}

  // By its name in the PTX ("_ZN3img4blurIfEEvPT_i"), or by a name from the source that fits only one kernel: with or
  // without namespaces, template arguments and parameters, as "blur", "img::blur", "blur<float>", "blur(float*, int)",
  // "img::blur<float>(float*, int)". Parameters and template arguments are written as a demangler does ("unsigned int",
  // "float const*"); blanks do not matter. Throws not_found, with the names that fit, or else all names.
  Kernel kernel(std::string_view name) const;
  // The same with a signature, in GrCUDA's NIDL, "saxpy(n: sint32, a: float, x: in pointer float, y: inout pointer
  // float)", or its compact form, "sint32, float, const pointer, inout pointer". Directions (in or const, out, inout)
  // have the meaning of heddle::in() and the others, for every launch of this handle. Types must be those of the PTX in
  // size and kind. Names of parameters are for messages; the kernel's name must fit. Types: pointer (with the type it
  // points to, with which arrays are compared; void for any), bool, char, sint8 to sint64, uint8 to uint64, float,
  // double, and struct[24] for 24 bytes. Throws parse_error with the place in the text, invalid_argument where the PTX
  // shows otherwise, with the instruction.
  Kernel kernel(std::string_view name, std::string_view signature) const;
  std::vector<std::string> kernel_names() const;

  const std::shared_ptr<runtime::ModuleState>& state() const { return state_; }

  // The PTX text the module was made from.
  const std::string& ptx() const;

  // The type of a __device__ or __constant__ variable, from its declaration in the PTX. Named as kernels are: "scale",
  // "img::scale", "_ZN3img5scaleE". Throws not_found.
  VariableType variable_type(std::string_view name) const;

  // Sets or gets a variable on one device (default: the runtime's first). Waits for the launches of this module that
  // are in flight there. Each device has its own copy of the variable. Throws not_found; invalid_argument when the
  // value does not fit, or is of another type than the variable, where that is known.
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void set_variable(std::string_view name, const T& value, std::string_view device = {}) {
    set_variable(name, value_type<T>, std::as_bytes(std::span(&value, 1)), device);
  }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T variable(std::string_view name, std::string_view device = {}) const {
    T value;
    get_variable(name, value_type<T>, std::as_writable_bytes(std::span(&value, 1)), device);
    return value;
  }
  // The same of numbers whose type the program knows: an array has several.
  void set_variable(std::string_view name, ElementType type, std::span<const std::byte> bytes,
                    std::string_view device = {});
  void get_variable(std::string_view name, ElementType type, std::span<std::byte> bytes,
                    std::string_view device = {}) const;
  // Bytes, whatever the variable's type, from byte `offset` of it on.
  void write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes,
                      std::string_view device = {});
  void read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes,
                     std::string_view device = {}) const;

 private:
  std::shared_ptr<runtime::ModuleState> state_;
};

}  // namespace heddle
