// Loaded modules: their variables in memory, and their kernels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/cpu/kernel_code.hpp"
#include "device/cpu/kernel_unit.hpp"
#include "device/cpu/memory.hpp"
#include "device/cpu/written_places.hpp"
#include "device/device.hpp"

namespace heddle::device::cpu {

// Module-level variables, and those of the same kind declared within functions.
class ModuleVariables {
 public:
  // `given`: LoadOptions::placed.
  ModuleVariables(const ptx::Module& module, std::shared_ptr<Allocator> allocator,
                  std::span<const PlacedVariable> given);
  ~ModuleVariables();
  ModuleVariables(const ModuleVariables&) = delete;
  ModuleVariables& operator=(const ModuleVariables&) = delete;

  // Throws not_found, with the names there are.
  Span find(Device* device, std::string_view name) const;
  // Address of a variable; throws unsupported when it has none, and says why.
  std::uint8_t* address(const KernelUnit::VariableSource& source) const;

 private:
  struct Placed {
    const ptx::Variable* variable = nullptr;
    std::uint64_t address = 0;
    std::size_t size = 0;
    bool given = false;   // the memory is the host's
    std::string problem;  // why kernels cannot use it; empty: they can
  };
  void place(const ptx::Variable& variable, KernelUnit::VariableSource source, const PlacedVariable* given);
  void initialize(Placed& placed, std::uint32_t owner);
  std::uint64_t value_of(const ptx::InitValue& value, std::uint32_t owner, std::string& problem) const;

  const ptx::Module& module_;
  std::shared_ptr<Allocator> allocator_;
  std::map<KernelUnit::VariableSource, Placed> placed_;
};

// Makes code for a kernel: the compiler, or in tests functions written by hand.
using CodeProvider = std::function<std::shared_ptr<const KernelCode>(const ptx::Module& source, std::uint32_t entry,
                                                                     const KernelUnit& unit, const std::string& print,
                                                                     const CodegenOptions& options)>;

class CpuFunction final : public Function {
 public:
  const Checks& checks() const { return options_.check; }
  const std::string& place() const { return options_.place; }
  CpuFunction(std::shared_ptr<const ptx::Module> module, std::uint32_t index, const ModuleVariables& variables,
              const CodeProvider& provider, const LoadOptions& options);

  const ptx::Function& ptx() const override { return function_; }
  const std::vector<ParameterLayout>& parameters() const override { return parameters_; }
  std::uint32_t parameter_bytes() const override { return parameter_bytes_; }
  std::uint64_t static_shared_bytes() const override { return unit().static_shared_bytes; }
  void prepare(const Dim3& block) override { static_cast<void>(code(distinct(block), true)); }
  std::vector<Occupancy> occupancy(const Dim3&, std::uint32_t) override { return {}; }

  // Code for launches with this block size; made on first use, once even when several threads ask. Throws what the
  // provider throws, every time.
  std::shared_ptr<const KernelCode> code(const Dim3& block, bool global_id_fits);
  const ptx::Module& module() const { return *module_; }
  const KernelUnit& kernel_unit() const { return unit().unit; }
  // The block that does what this one does: without threads that are like others
  // (ptx/analysis/access/alike_threads.hpp).
  Dim3 distinct(const Dim3& block) const {
    return block.y * block.z > 1 && unit().rows_are_alike ? Dim3{block.x} : block;
  }
  // Null where nobody asks for it.
  const WrittenPlaces* written() const { return unit().written ? &*unit().written : nullptr; }
  std::uint8_t* const* variables() const { return variable_addresses_.data(); }
  // Throws invalid_argument when the kernel's directives forbid launches with such blocks, unsupported when they want
  // clusters.
  void check_block(const Dim3& block) const;

 private:
  struct Variant;
  // What is known without generating code; made when first asked for.
  struct Unit {
    KernelUnit unit;
    std::uint64_t static_shared_bytes = 0;
    bool rows_are_alike = false;
    std::optional<WrittenPlaces> written;  // for the check of races
  };
  const Unit& unit() const;
  void find_variables();

  std::shared_ptr<const ptx::Module> module_;
  const std::uint32_t index_;
  const ptx::Function& function_;
  const ModuleVariables& variables_;
  const CodeProvider& provider_;
  const LoadOptions options_;
  std::vector<ParameterLayout> parameters_;
  std::uint32_t parameter_bytes_ = 0;

  mutable std::once_flag unit_once_;
  mutable std::unique_ptr<const Unit> unit_;
  std::once_flag variables_once_;
  std::string print_;  // the unit's fingerprint
  std::vector<std::uint8_t*> variable_addresses_;

  std::mutex mutex_;
  std::vector<std::shared_ptr<Variant>> variants_;
};

class CpuModule final : public Module {
 public:
  CpuModule(Device* device, std::shared_ptr<const ptx::Module> module, std::shared_ptr<Allocator> allocator,
            CodeProvider provider, const LoadOptions& options);
  Function& function(std::string_view name) override;
  Span variable(std::string_view name) override { return variables_.find(device_, name); }

 private:
  Device* device_;
  std::shared_ptr<const ptx::Module> module_;
  CodeProvider provider_;
  ModuleVariables variables_;
  std::vector<std::unique_ptr<CpuFunction>> functions_;  // the entries
};

}  // namespace heddle::device::cpu
