// A module on an emulated device.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/emulated/state.hpp"
#include "device/machine/program.hpp"
#include "device/module.hpp"

namespace heddle::device::emulated {

class LoadedFunction final : public Function {
 public:
  LoadedFunction(DeviceState& state, const machine::Program& program, const machine::Code& code)
      : state_(state), kernel_(program, code) {}
  const ptx::Function& ptx() const override { return kernel_.ptx(); }
  const std::vector<ParameterLayout>& parameters() const override { return kernel_.parameters(); }
  std::uint32_t parameter_bytes() const override { return kernel_.parameter_bytes(); }
  std::uint64_t static_shared_bytes() const override { return kernel_.shared().static_bytes; }
  void prepare(const Dim3&) override {}
  std::vector<Occupancy> occupancy(const Dim3&, std::uint32_t) override { return {}; }

  DeviceState& state() const { return state_; }
  const machine::Kernel& kernel() const { return kernel_; }

 private:
  DeviceState& state_;
  machine::Kernel kernel_;
};

class LoadedModule final : public Module {
 public:
  // `placed`: LoadOptions.
  LoadedModule(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<const ptx::Module> module,
               std::span<const PlacedVariable> placed)
      : device_(device), state_(std::move(state)), program_(state_->machine, std::move(module), placed) {}
  Function& function(std::string_view name) override;
  Span variable(std::string_view name) override;

 private:
  [[noreturn]] void no_function(std::string_view name) const;

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  machine::Program program_;
  std::map<std::string, std::unique_ptr<LoadedFunction>, std::less<>> functions_;
  std::mutex mutex_;
};

}  // namespace heddle::device::emulated
