#include "device/sim/sampling/native_blocks.hpp"

#include "device/emulated/loaded_module.hpp"
#include "device/footprint.hpp"
#include "device/queue.hpp"

namespace heddle::device::sim {

Device& NativeDevice::device() {
  const std::lock_guard lock(mutex_);
  if (!device_) device_ = make_();
  return *device_;
}

Module& NativeProgram::load() {
  const std::lock_guard lock(mutex_);
  if (module_) return *module_;
  const ptx::Module& module = program_.ptx();
  std::vector<PlacedVariable> placed;
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    const ptx::Variable& variable = module.variables[i];
    void* const data = reinterpret_cast<void*>(program_.variable_address(i));
    if (data && variable.space == ptx::Space::global) placed.push_back({variable.name, data, variable.size()});
  }
  // The program outlives this one, and with it the module.
  const std::shared_ptr<const ptx::Module> shared(std::shared_ptr<void>(), &module);
  module_ = native_.device().load(shared, {.placed = placed});
  return *module_;
}

void NativeProgram::copy_constants(Queue& queue, Module& module) const {
  const ptx::Module& own = program_.ptx();
  for (std::uint32_t i = 0; i < own.variables.size(); ++i) {
    const ptx::Variable& variable = own.variables[i];
    const std::uint64_t address = program_.variable_address(i);
    if (variable.space != ptx::Space::constant || address == 0) continue;
    const Span there = module.variable(variable.name);
    queue.copy(there, Span::host(reinterpret_cast<const void*>(address), there.size));
  }
}

void NativeProgram::run(const emulated::KernelRun& run, std::span<const BlockRange> blocks) {
  Module& module = load();
  Function& function = module.function(run.function.ptx().name);
  const auto queue = native_.device().queue({});
  copy_constants(*queue, module);
  if (run.footprint) queue->set_footprint(std::shared_ptr<const Footprint>(std::shared_ptr<void>(), run.footprint));
  for (const BlockRange& part : blocks) queue->launch(function, run.config, part, run.arguments);
  queue->synchronize();
}

}  // namespace heddle::device::sim
