#include "device/cpu/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <set>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "base/memory_limit.hpp"
#include "device/cpu/kernel_compiler.hpp"
#include "device/device.hpp"
#include "device/launch_check.hpp"
#include "ptx/analysis/access/alike_threads.hpp"

namespace heddle::device::cpu {
namespace {

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment == 0 ? value : (value + alignment - 1) / alignment * alignment;
}

// Bytes of the static .shared variables that the kernel or a function it may call names or declares.
std::uint64_t static_shared_size(const KernelUnit& unit) {
  std::uint64_t size = 0;
  const auto add = [&](const ptx::Variable& variable) {
    const bool dynamic = variable.unsized() || variable.linkage == ptx::Linkage::external;
    if (variable.space != ptx::Space::shared || dynamic) return;
    size = align_up(size, variable.alignment()) + variable.size();
  };
  for (const ptx::Variable& variable : unit.module.variables) add(variable);
  for (const ptx::Function& function : unit.module.functions)
    for (const ptx::Variable& variable : function.variables) add(variable);
  return size;
}

}  // namespace

struct CpuFunction::Variant {
  Dim3 block;
  bool global_id_fits = true;
  std::once_flag once;
  std::shared_ptr<const KernelCode> code;
  std::exception_ptr error;
};

CpuFunction::CpuFunction(std::shared_ptr<const ptx::Module> module, std::uint32_t index,
                         const ModuleVariables& variables, const CodeProvider& provider, const LoadOptions& options)
    : module_(std::move(module)),
      index_(index),
      function_(module_->functions[index]),
      variables_(variables),
      provider_(provider),
      options_(options) {
  for (const ptx::Variable& parameter : function_.parameters) {
    const auto offset = static_cast<std::uint32_t>(align_up(parameter_bytes_, parameter.alignment()));
    const auto size = static_cast<std::uint32_t>(parameter.size());
    parameters_.push_back({offset, size});
    parameter_bytes_ = offset + size;
  }
}

const CpuFunction::Unit& CpuFunction::unit() const {
  std::call_once(unit_once_, [this] {
    auto made = std::make_unique<Unit>();
    made->unit = extract_kernel(*module_, index_);
    made->static_shared_bytes = static_shared_size(made->unit);
    // The checker is to see each access of each thread.
    made->rows_are_alike = !options_.check.kernels() && ptx::analysis::rows_are_alike(made->unit.module);
    if (options_.check.race) made->written = WrittenPlaces::find(made->unit, parameters_);
    unit_ = std::move(made);
  });
  return *unit_;
}

void CpuFunction::find_variables() {
  std::vector<std::uint8_t*> addresses;
  for (const KernelUnit::VariableSource& source : kernel_unit().variables)
    addresses.push_back(variables_.address(source));
  variable_addresses_ = std::move(addresses);
  print_ = KernelCompiler::fingerprint(kernel_unit());
}

std::shared_ptr<const KernelCode> CpuFunction::code(const Dim3& block, bool global_id_fits) {
  std::shared_ptr<Variant> variant;
  {
    const std::lock_guard guard(mutex_);
    const auto found = std::find_if(variants_.begin(), variants_.end(), [&](const auto& known) {
      return known->block == block && known->global_id_fits == global_id_fits;
    });
    if (found != variants_.end()) {
      variant = *found;
    } else {
      variants_.push_back(std::make_shared<Variant>());
      variant = variants_.back();
      variant->block = block;
      variant->global_id_fits = global_id_fits;
    }
  }
  std::call_once(variant->once, [&] {
    try {
      check_block(block);
      std::call_once(variables_once_, [&] { find_variables(); });
      CodegenOptions options;
      options.block = block;
      options.check = options_.check;
      options.global_id_fits = global_id_fits;
      variant->code = provider_(*module_, index_, kernel_unit(), print_, options);
    } catch (const std::bad_alloc&) {  // the next launch tries again; and after what is thrown next
      base::fail(ErrorCode::out_of_memory, "there is no memory to compile kernel '{}'{}",
                 base::demangled(function_.name), base::memory_limit_note());
    } catch (const Error& error) {
      if (error.code() == ErrorCode::out_of_memory) throw;
      variant->error = std::current_exception();
    } catch (...) {
      variant->error = std::current_exception();
    }
  });
  if (variant->error != nullptr) std::rethrow_exception(variant->error);
  return variant->code;
}

void CpuFunction::check_block(const Dim3& block) const {
  device::check_block(DeviceInfo{}, function_, block);
  refuse_clusters(function_, "the CPU device");
}

CpuModule::CpuModule(Device* device, std::shared_ptr<const ptx::Module> module, std::shared_ptr<Allocator> allocator,
                     CodeProvider provider, const LoadOptions& options)
    : device_(device),
      module_(std::move(module)),
      provider_(std::move(provider)),
      variables_(*module_, std::move(allocator), options.placed) {
  for (std::uint32_t i = 0; i < module_->functions.size(); ++i) {
    const ptx::Function& function = module_->functions[i];
    if (!function.is_entry || function.is_declaration) continue;
    functions_.push_back(std::make_unique<CpuFunction>(module_, i, variables_, provider_, options));
  }
}

Function& CpuModule::function(std::string_view name) {
  std::string names;
  for (const auto& function : functions_) {
    if (function->ptx().name == name) return *function;
    names += (names.empty() ? "" : ", ") + function->ptx().name;
  }
  base::fail(ErrorCode::not_found, "no kernel '{}' in the module; it has {}", name, names.empty() ? "none" : names);
}

}  // namespace heddle::device::cpu
