// A module: the kernels and variables of one PTX text.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "heddle/kernel.hpp"

namespace heddle {

namespace runtime {
class ModuleState;
}

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

  // Copies to or from a __device__ or __constant__ variable on one device (default: the runtime's first), beginning at
  // byte `offset`. Waits for the launches of this module that are in flight there. Each device has its own copy of the
  // variable. Named as kernels are: "scale", "img::scale", "_ZN3img5scaleE". Throws not_found, or invalid_argument when
  // the bytes do not fit.
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void set_variable(std::string_view name, const T& value, std::string_view device = {}) {
    write_variable(name, 0, std::as_bytes(std::span(&value, 1)), device);
  }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T variable(std::string_view name, std::string_view device = {}) const {
    T value;
    read_variable(name, 0, std::as_writable_bytes(std::span(&value, 1)), device);
    return value;
  }
  void write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes,
                      std::string_view device = {});
  void read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes,
                     std::string_view device = {}) const;

 private:
  std::shared_ptr<runtime::ModuleState> state_;
};

}  // namespace heddle
