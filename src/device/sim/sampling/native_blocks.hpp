// Blocks of simulated kernels that a device of the host executes, with the memory of the simulated one.
//
// A kernel's addresses of global memory are the host's on both. Variables of a module are placed where the simulated
// device has them; its constants are copied before each launch, for the host may have written to them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/emulated/engine.hpp"
#include "device/machine/program.hpp"

namespace heddle::device::sim {

// The device, which is made when it is first needed. Any thread.
class NativeDevice {
 public:
  // `make`: SimOptions::native.
  explicit NativeDevice(std::function<std::unique_ptr<Device>()> make) : make_(std::move(make)) {}
  bool there() const { return static_cast<bool>(make_); }
  // Throws what making the device throws.
  Device& device();

 private:
  std::mutex mutex_;
  const std::function<std::unique_ptr<Device>()> make_;
  std::unique_ptr<Device> device_;
};

// The program of a simulated device on the other one, loaded when it is first needed. Any thread.
class NativeProgram {
 public:
  // Both outlive it.
  NativeProgram(const machine::Program& program, NativeDevice& native) : program_(program), native_(native) {}

  // Executes these blocks of a launch and waits for their end. Throws what loading and launching throws, and faults of
  // the kernel.
  void run(const emulated::KernelRun& run, std::span<const BlockRange> blocks);

 private:
  Module& load();
  void copy_constants(Queue& queue, Module& module) const;

  const machine::Program& program_;
  NativeDevice& native_;
  std::mutex mutex_;
  std::shared_ptr<Module> module_;
};

}  // namespace heddle::device::sim
