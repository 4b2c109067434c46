// A module on an emulated device.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/emulated/state.hpp"
#include "device/machine/program.hpp"
#include "device/module.hpp"

namespace heddle::device::emulated {

class LoadedFunction final : public Function {
 public:
  LoadedFunction(const machine::Program& program, const machine::Code& code, ProgramData* data)
      : data_(data), kernel_(program, code) {}
  const ptx::Function& ptx() const override { return kernel_.ptx(); }
  const std::vector<ParameterLayout>& parameters() const override { return kernel_.parameters(); }
  std::uint32_t parameter_bytes() const override { return kernel_.parameter_bytes(); }
  std::uint64_t static_shared_bytes() const override { return kernel_.shared().static_bytes; }
  void prepare(const Dim3&) override {}
  std::vector<Occupancy> occupancy(const Dim3&, std::uint32_t) override { return {}; }

  // The engine's, of the function's module.
  ProgramData* data() const { return data_; }
  const machine::Kernel& kernel() const { return kernel_; }

 private:
  ProgramData* data_;
  machine::Kernel kernel_;
};

class LoadedModule final : public Module {
 public:
  // `placed`: LoadOptions.
  LoadedModule(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<const ptx::Module> module,
               std::span<const PlacedVariable> placed)
      : device_(device),
        state_(std::move(state)),
        program_(state_->machine, std::move(module), placed),
        data_(state_->engine->data_for(program_)) {}
  Function& function(std::string_view name) override;
  Span variable(std::string_view name) override;

 private:
  [[noreturn]] void no_function(std::string_view name) const;

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  machine::Program program_;
  std::unique_ptr<ProgramData> data_;
  std::map<std::string, std::unique_ptr<LoadedFunction>, std::less<>> functions_ HEDDLE_GUARDED_BY(mutex_);
  base::Mutex mutex_;
};

}  // namespace heddle::device::emulated
