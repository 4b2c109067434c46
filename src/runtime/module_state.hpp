// Implements heddle::Module: its loaded code, its kernels and its variables.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/memory.hpp"
#include "heddle/module.hpp"
#include "runtime/kernel_state.hpp"
#include "runtime/loaded_code.hpp"

namespace heddle::runtime {

class ModuleState : public std::enable_shared_from_this<ModuleState> {
 public:
  ModuleState(std::shared_ptr<core::Core> core, std::shared_ptr<const ptx::Module> module, std::string text,
              std::string name);
  ~ModuleState();  // waits for its launches
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;

  LoadedCode& code() { return code_; }
  const std::shared_ptr<core::Core>& core() const { return code_.core(); }
  const std::string& name() const { return code_.name(); }
  const std::vector<std::unique_ptr<KernelState>>& kernels() const { return kernels_; }

  // See heddle::Module::kernel. Any thread.
  std::shared_ptr<KernelState> kernel(std::string_view name);
  std::shared_ptr<KernelState> kernel(std::string_view name, std::string_view signature);

  // See heddle::Module.
  VariableType variable_type(std::string_view name) const;
  // Throws invalid_argument where numbers of that type, so many bytes, are no value of the variable.
  void check_variable(std::string_view name, ElementType type, std::size_t bytes) const;
  void write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes, std::size_t place);
  void read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes, std::size_t place);

 private:
  // A variable, by its name in the PTX or in the source. Throws not_found.
  const ptx::Variable& declared(std::string_view name) const;
  device::Span variable(std::string_view name, std::size_t offset, std::size_t bytes, std::size_t place);
  void copy_variable(const device::Span& to, const device::Span& from, graph::Mode mode, std::size_t place);

  LoadedCode code_;
  std::vector<std::unique_ptr<KernelState>> kernels_;
  // Kernels with signatures, by kernel and signature: equal signatures of a kernel share one object.
  base::Mutex signatures_mutex_;
  std::map<std::pair<KernelState*, std::string>, std::unique_ptr<KernelState>> with_signatures_
      HEDDLE_GUARDED_BY(signatures_mutex_);
};

}  // namespace heddle::runtime
