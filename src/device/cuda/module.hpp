// Modules that the driver has compiled, with the entries that run block ranges.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "device/cuda/state.hpp"
#include "device/module.hpp"
#include "ptx/rewrite/block_ranges.hpp"

namespace heddle::device {
struct LoadOptions;
}

namespace heddle::device::cuda {

class CudaModule;

// One entry of the module in the driver: its handle, and what it may have of shared memory so far.
class DriverFunction {
 public:
  DriverFunction(const DeviceState& state, driver::ModuleHandle module, const std::string& name);
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
  // The last answer: threads, shared memory and blocks in one word, as launches ask again and again.
  mutable std::atomic<std::uint64_t> resident_{0};
};

class CudaFunction final : public Function {
 public:
  CudaFunction(CudaModule& module, std::uint32_t index);
  const ptx::Function& ptx() const override { return ptx_; }
  const std::vector<ParameterLayout>& parameters() const override { return parameters_; }
  std::uint32_t parameter_bytes() const override { return parameter_bytes_; }
  std::uint64_t static_shared_bytes() const override { return static_shared_; }
  // Loads the code of the kernel and of its range entries: the driver does so at first use otherwise.
  void prepare(const Dim3& block) override;
  std::vector<Occupancy> occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) override;

  CudaModule& module() const { return module_; }
  std::uint64_t id() const { return id_; }  // of no other, also of later ones
  DriverFunction& whole() { return whole_; }
  struct Range {
    const ptx::RangeEntry* entry;
    DriverFunction* function;
  };
  // What runs parts of the grid. Throws unsupported with the reason why there is none.
  Range range(ptx::RangeForm form);
  bool has(ptx::RangeForm form) const;

 private:
  CudaModule& module_;
  const ptx::Function& ptx_;
  std::uint32_t index_;
  std::uint64_t id_;
  std::vector<ParameterLayout> parameters_;
  std::uint32_t parameter_bytes_ = 0;
  std::uint64_t static_shared_ = 0;
  DriverFunction whole_;
  std::atomic<bool> prepared_{false};
  std::mutex mutex_;
  std::map<ptx::RangeForm, std::unique_ptr<DriverFunction>> ranges_;
};

class CudaModule final : public Module {
 public:
  // Prints the module with the entries for ranges of blocks that the options ask for, and has the driver compile it.
  // Throws compile_error with the driver's log, or unsupported where the GPU or the driver is too old.
  CudaModule(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<const ptx::Module> module,
             const LoadOptions& options);
  ~CudaModule() override;
  Function& function(std::string_view name) override;
  Span variable(std::string_view name) override;

  const ptx::Module& ptx() const { return *module_; }
  const ptx::RangeModule& ranges() const { return ranges_; }
  bool stoppable() const { return stoppable_; }
  const DeviceState& state() const { return *state_; }
  driver::ModuleHandle handle() const { return handle_; }

 private:
  void compile();
  bool take(std::span<const std::byte> machine_code);

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<const ptx::Module> module_;
  bool stoppable_;
  ptx::RangeModule ranges_;
  driver::ModuleHandle handle_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<CudaFunction>, std::less<>> functions_;
};

}  // namespace heddle::device::cuda
