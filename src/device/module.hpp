// A loaded module and its kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/memory.hpp"
#include "heddle/dim3.hpp"
#include "heddle/kernel.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

// One kernel parameter in the packed argument buffer.
struct ParameterLayout {
  std::uint32_t offset = 0, size = 0;
};

class Function {
 public:
  virtual ~Function() = default;
  virtual const ptx::Function& ptx() const = 0;
  virtual const std::vector<ParameterLayout>& parameters() const = 0;  // by PTX .param order and alignment
  virtual std::uint32_t parameter_bytes() const = 0;
  virtual std::uint64_t static_shared_bytes() const = 0;
  // Generates code for launches with this block size, unless that has been done; otherwise the first launch does it.
  // Throws unsupported or compile_error.
  virtual void prepare(const Dim3& block) = 0;
  // Generates code for launches of parts of the grid, unless that has been done. False: the device cannot run parts of
  // this kernel's grid. Any thread.
  virtual bool prepare_ranges() { return true; }
  // See Runtime::occupancy; empty for devices without SMs. Any thread.
  virtual std::vector<Occupancy> occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) = 0;
  // The entry of occupancy() for launches of the whole grid, without generating code for parts; nothing on devices
  // without SMs. Any thread.
  virtual std::optional<Occupancy> whole_occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) {
    const std::vector<Occupancy> all = occupancy(block, dynamic_shared_bytes);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }
};

class Module {
 public:
  virtual ~Module() = default;
  // Throws not_found with the existing names.
  virtual Function& function(std::string_view name) = 0;
  // Memory of a module-level .global or .const variable. Throws not_found.
  virtual Span variable(std::string_view name) = 0;
};

}  // namespace heddle::device
