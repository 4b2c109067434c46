// Entries of modules in the driver.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "device/cuda/state.hpp"
#include "heddle/kernel.hpp"

namespace heddle::device::cuda {

// One entry of the module in the driver: its handle, and how much shared memory it may use so far.
class DriverFunction {
 public:
  DriverFunction(const DeviceState& state, driver::ModuleHandle module, const std::string& name);
  DriverFunction(driver::FunctionHandle handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  driver::FunctionHandle handle() const { return handle_; }
  int attribute(const DeviceState& state, driver::FunctionAttribute attribute) const;
  // Allows launches with so much dynamic shared memory. Any thread.
  void allow_shared(const DeviceState& state, std::uint32_t bytes);
  void load(const DeviceState& state) const;
  // Blocks that fit on an SM at once. Any thread.
  std::uint64_t resident_blocks(const DeviceState& state, std::uint64_t threads, std::uint32_t dynamic_shared) const;
  Occupancy occupancy(const DeviceState& state, std::string form, std::uint64_t threads, std::uint32_t dynamic_shared);

 private:
  driver::FunctionHandle handle_ = nullptr;
  std::string name_;
  std::atomic<std::uint32_t> allowed_{48 * 1024};
  // The last result: threads, shared memory and blocks in one word, since each launch needs it.
  mutable std::atomic<std::uint64_t> resident_{0};
};

// Has the driver compile a module; `log` receives its messages. Needs the GPU's context.
driver::Result compile_ptx(const Driver& driver, const std::string& text, driver::ModuleHandle& handle,
                           std::string& log);
// The same. Needs the GPU's context. Throws compile_error with the driver's log, or unsupported
// where the GPU or the driver is too old.
driver::ModuleHandle load_ptx(const DeviceState& state, const std::string& text);

}  // namespace heddle::device::cuda
