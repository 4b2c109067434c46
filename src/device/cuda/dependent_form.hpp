// A kernel's form that may begin before the preceding kernel has ended (ptx/rewrite/dependent_launch.hpp): a module of
// its own, compiled in the background.
#pragma once

#include <cstdint>
#include <future>
#include <memory>

#include "device/cuda/driver_function.hpp"
#include "device/cuda/state.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cuda {

class DependentForm {
 public:
  // Begins to compile the form of a kernel, by its index in the module. Both must outlive the object.
  DependentForm(const DeviceState& state, const ptx::Module& module, std::uint32_t kernel);
  ~DependentForm();  // waits for the compilation
  DependentForm(const DependentForm&) = delete;
  DependentForm& operator=(const DependentForm&) = delete;

  // Whether it is compiled, or cannot be. One thread at a time, as with function().
  bool decided() const;
  // Null while it is being compiled, where the kernel has none (the log has the reason), and where blocks of so many
  // threads need more registers than an SM has: the form may use more than the kernel.
  DriverFunction* function(std::uint64_t threads) const {
    return decided() && threads <= most_threads_ ? function_.get() : nullptr;
  }

 private:
  void make(const ptx::Module& module, std::uint32_t kernel);
  driver::Result load(const std::string& text, const std::string& name, std::string& log);

  const DeviceState& state_;
  driver::ModuleHandle module_ = nullptr;
  std::unique_ptr<DriverFunction> function_;
  std::uint64_t most_threads_ = 0;
  std::future<void> made_;  // the last member: the others outlive the compilation
};

}  // namespace heddle::device::cuda
