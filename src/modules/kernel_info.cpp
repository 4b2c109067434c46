#include "modules/kernel_info.hpp"

#include <algorithm>
#include <utility>

#include "base/kernel_name.hpp"

namespace heddle::modules {
namespace {

Access public_access(ptx::analysis::AccessMode mode) {
  using ptx::analysis::AccessMode;
  switch (mode) {
    case AccessMode::none: return Access::none;
    case AccessMode::read: return Access::read;
    case AccessMode::write: return Access::write;
    case AccessMode::read_write: return Access::read_write;
    case AccessMode::unknown: return Access::unknown;
  }
  return Access::unknown;
}

}  // namespace

void set_source_type(Parameter& parameter, const SourceType& type) {
  parameter.source_type = type.text;
  parameter.element = type.element;
  parameter.number = type.number;
}

std::string signature_of(const KernelInfo& kernel) {
  const std::string readable = base::demangled(kernel.name);
  if (readable != kernel.name) return readable;
  std::string text = kernel.name + "(";
  for (const Parameter& parameter : kernel.parameters) {
    if (parameter.source_type.empty()) return kernel.name;
    text += (text.ends_with('(') ? "" : ", ") + parameter.source_type;
  }
  return kernel.parameters.empty() ? kernel.name : text + ")";
}

KernelInfo kernel_info(const ptx::analysis::InspectedKernel& kernel, const std::vector<SourceParameter>& source) {
  KernelInfo info;
  info.name = kernel.name;
  for (const ptx::analysis::InspectedParameter& parameter : kernel.parameters) {
    // Of an array that is given for what the kernel adds to addresses, nothing can be said.
    const bool distance = parameter.in_addresses && parameter.size == 8;
    const Access access = distance ? Access::unknown : public_access(parameter.access);
    info.parameters.push_back({.name = parameter.name,
                               .type = parameter.type,
                               .offset = parameter.offset,
                               .size = parameter.size,
                               .pointer = parameter.is_pointer,
                               .may_be_index = parameter.may_be_index,
                               .access = access});
    const SourceParameter& known = source[info.parameters.size() - 1];
    info.parameters.back().label = known.name;
    set_source_type(info.parameters.back(), known.type);
  }
  info.signature = signature_of(info);
  const ptx::analysis::Resources& resources = kernel.resources;
  info.registers = resources.registers;
  info.shared_bytes = resources.static_shared;
  info.dynamic_shared = resources.dynamic_shared;
  info.local_bytes = resources.local;
  info.barriers = resources.barriers;
  info.atomics = resources.atomics;
  const auto& block = resources.required_block[0] != 0 ? resources.required_block : resources.maximum_block;
  if (block[0] != 0) info.max_threads = block[0] * std::max(block[1], 1u) * std::max(block[2], 1u);
  info.blocks_independent = kernel.blocks.independent();
  info.dependence = kernel.dependence;
  return info;
}

FoundKernel find_kernel(const ptx::analysis::Inspection& inspection, const ptx::Module& module,
                        const ptx::Function& function, const SourceTypes& types) {
  const auto index = static_cast<std::uint32_t>(&function - module.functions.data());
  const auto found = std::find_if(inspection.kernels.begin(), inspection.kernels.end(),
                                  [&](const auto& kernel) { return kernel.function == index; });
  return {*found, kernel_info(*found, types.parameters(function))};
}

}  // namespace heddle::modules
