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

// A light handle; copies refer to the same module, and kernels keep it alive. Any thread. One that was moved from
// throws invalid_argument.
class Module {
 public:
  explicit Module(std::shared_ptr<runtime::ModuleState> state) : state_(std::move(state)) {}

  // By its name in the PTX ("_ZN3img4blurIfEEvPT_i"), or by a name from the source that fits only one kernel: with or
  // without namespaces, template arguments and parameters, as "blur", "img::blur", "blur<float>", "blur(float*, int)",
  // "img::blur<float>(float*, int)". Parameters and template arguments are written as a demangler does ("unsigned int",
  // "float const*"); blanks do not matter. Throws not_found, with the names that fit, or else those there are.
  Kernel kernel(std::string_view name) const;
  std::vector<std::string> kernel_names() const;

  const std::shared_ptr<runtime::ModuleState>& state() const { return state_; }

  // The PTX text the module was made from.
  const std::string& ptx() const;

  // Copies to or from a __device__ or __constant__ variable on one device (default: the runtime's first), beginning at
  // byte `offset`; waits for the launches of this module that are in flight there. Each device has its own copy of the
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
