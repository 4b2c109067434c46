// Modules that the driver has compiled, with the entries that run block ranges.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/thread_safety.hpp"
#include "device/cuda/dependent_form.hpp"
#include "device/cuda/driver_function.hpp"
#include "device/cuda/late_ranges.hpp"
#include "device/cuda/state.hpp"
#include "device/module.hpp"
#include "ptx/rewrite/block_ranges.hpp"

namespace heddle::device {
struct LoadOptions;
}

namespace heddle::device::cuda {

class CudaModule;

class CudaFunction final : public Function {
 public:
  CudaFunction(CudaModule& module, std::uint32_t index);
  const ptx::Function& ptx() const override { return ptx_; }
  const std::vector<ParameterLayout>& parameters() const override { return parameters_; }
  std::uint32_t parameter_bytes() const override { return parameter_bytes_; }
  std::uint64_t static_shared_bytes() const override { return static_shared_; }
  // Loads the code of the kernel, and of its range entries where they are part of the module: the driver does so at
  // first use otherwise.
  void prepare(const Dim3& block) override;
  bool prepare_ranges() override;
  std::vector<Occupancy> occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) override;
  std::optional<Occupancy> whole_occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) override;

  // The machine code may have parameters elsewhere than PTX: it aligns their addresses, among them those in the bank of
  // constants, where parameters begin at 0x160, 0x210 or 0x380, whatever the GPU. Only the driver knows the places of
  // those that are aligned to more than 16 bytes, and of those after them.
  bool has_own_places() const { return has_own_places_; }

  CudaModule& module() const { return module_; }
  std::uint64_t id() const { return id_; }  // unique in the process
  DriverFunction& whole() { return whole_; }
  // The code for parts of the grid, compiled now if it has not been. Throws unsupported with the reason where there is
  // none, and what LateRanges::code() throws. Any thread.
  RangeCode range(ptx::RangeForm form);
  bool has(ptx::RangeForm form);
  // Its compilation begins at the first call. Any thread.
  DependentForm& dependent_form();

 private:
  // The present or possible entries, and the kernel's index among their functions.
  struct Forms {
    const ptx::RangeModule* module;
    std::uint32_t kernel;
  };
  Forms forms();

  CudaModule& module_;
  const ptx::Function& ptx_;
  std::uint32_t index_;
  std::uint64_t id_;
  std::vector<ParameterLayout> parameters_;
  std::uint32_t parameter_bytes_ = 0;
  bool has_own_places_ = false;
  std::uint64_t static_shared_ = 0;
  DriverFunction whole_;
  std::atomic<bool> prepared_{false};
  base::Mutex mutex_;
  std::map<ptx::RangeForm, std::unique_ptr<DriverFunction>> ranges_
      HEDDLE_GUARDED_BY(mutex_);      // of the module's own entries
  std::unique_ptr<LateRanges> late_;  // made once, where the module has no entries
  std::unique_ptr<DependentForm> dependent_ HEDDLE_GUARDED_BY(mutex_);
};

// The function as one of this GPU's modules. Throws invalid_argument for one of another device, device_lost.
CudaFunction& own_function(const DeviceState& state, Function& function);

class CudaModule final : public Module {
 public:
  // Loads the machine code, if any, or the module as PTX: with the entries for ranges of blocks that
  // the options ask for where these cannot be compiled later. Throws as load_ptx() does.
  CudaModule(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<const ptx::Module> module,
             const LoadOptions& options);
  ~CudaModule() override;
  Function& function(std::string_view name) override;
  Span variable(std::string_view name) override;

  const ptx::Module& ptx() const { return *module_; }
  const ptx::RangeModule& ranges() const { return ranges_; }  // empty where they come late
  bool ranges_are_late() const { return late_; }
  bool stoppable() const { return stoppable_; }
  const DeviceState& state() const { return *state_; }
  driver::ModuleHandle handle() const { return handle_; }

 private:
  bool take(std::span<const std::byte> machine_code);

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<const ptx::Module> module_;
  bool stoppable_;
  bool late_ = false;
  ptx::RangeModule ranges_;
  driver::ModuleHandle handle_ = nullptr;
  base::Mutex mutex_;
  std::map<std::string, std::unique_ptr<CudaFunction>, std::less<>> functions_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::device::cuda
