// Code that runs parts of one kernel's grids, compiled when the first part is launched: a module of its own beside the
// one that holds the kernel, whose variables it uses (ptx/rewrite/single_kernel.hpp). So a program whose
// launches all stay whole runs its own machine code, and nothing is compiled for it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/cuda/driver_function.hpp"
#include "device/module.hpp"
#include "ptx/rewrite/block_ranges.hpp"

namespace heddle::device::cuda {

// The module with entries for parts of grids: boxes and linear ranges, preludes only where they help, and pools. Others
// would be compiled without being used.
ptx::RangeModule with_range_entries(const ptx::Module& module, bool ranges, bool pools);

// A variable in constant memory of which the code has a copy: to be updated in the stream, before a launch.
struct ConstantCopy {
  driver::Address to = 0, from = 0;
  std::size_t bytes = 0;
};

// What runs a part of a grid.
struct RangeCode {
  const ptx::RangeEntry* entry = nullptr;
  DriverFunction* function = nullptr;
  std::span<const ConstantCopy> constants = {};
};

class LateRanges {
 public:
  // Finds the possible forms of the kernel, by its index in the PTX of the module, whose variables the code uses.
  LateRanges(const DeviceState& state, Module& module, const ptx::Module& ptx, std::uint32_t kernel);
  ~LateRanges();
  LateRanges(const LateRanges&) = delete;
  LateRanges& operator=(const LateRanges&) = delete;

  const ptx::RangeModule& forms() const { return forms_; }
  std::uint32_t kernel() const { return kernel_; }  // its index there
  // The code of an entry of forms(), compiled now if it has not been; none where the kernel itself serves. Needs the
  // GPU's context. Throws compile_error; unsupported where a variable of the module is not found. Any thread.
  RangeCode code(const ptx::RangeEntry& entry);

 private:
  struct Made {
    driver::ModuleHandle module = nullptr;
    std::unique_ptr<DriverFunction> function;
    std::vector<ConstantCopy> constants;
  };
  void make(Made& made, const ptx::RangeEntry& entry) const;
  void bind_variables(Made& made, const std::string& table, const std::vector<std::string>& global,
                      const std::vector<std::string>& constant) const;

  const DeviceState& state_;
  Module& module_;
  std::uint32_t kernel_ = 0;
  ptx::RangeModule forms_;
  base::Mutex mutex_;
  std::map<ptx::RangeForm, Made> made_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::device::cuda
