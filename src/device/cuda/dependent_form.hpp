// A kernel's form that may begin before what it comes behind has ended (ptx/rewrite/dependent_launch.hpp): a module of
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
  // Begins to make it of the kernel, by its index in the module. Both outlive it.
  DependentForm(const DeviceState& state, const ptx::Module& module, std::uint32_t kernel);
  ~DependentForm();  // waits until it is made
  DependentForm(const DependentForm&) = delete;
  DependentForm& operator=(const DependentForm&) = delete;

  // Whether it is made, or known that there is none. One thread at a time, as with function().
  bool decided() const;
  // Null while it is being made, where the kernel has none (the log says why), and where blocks of so many threads need
  // more registers than there are: the form has not always as few as the kernel.
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
  std::future<void> made_;  // the last member: what it makes is there until it is done
};

}  // namespace heddle::device::cuda
