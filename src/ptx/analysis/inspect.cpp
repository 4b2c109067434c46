#include "ptx/analysis/inspect.hpp"

#include "ptx/analysis/instruction_text.hpp"

namespace heddle::ptx::analysis {
namespace {

std::string type_text(const Variable& variable) {
  std::string text;
  if (variable.vector > 1) text = "v" + std::to_string(variable.vector) + ".";
  text += ptx::name(variable.type);
  for (std::uint64_t extent : variable.dims) text += "[" + std::to_string(extent) + "]";
  return text;
}

std::string reason_text(const Module& module, const AccessReason& reason) {
  if (!reason.present()) return {};
  return describe_instruction(module.functions[reason.function], reason.instruction) + ": " + reason.text;
}

// Everything that is found of a whole module at once.
struct ModuleFacts {
  explicit ModuleFacts(const Module& module)
      : access(find_access(module)),
        waiting(find_waiting(module, {.lanes = LaneModel::rows(32)})),
        blocks(find_block_independence(module, waiting)),
        resources(find_resources(module, waiting)) {}
  std::vector<FunctionAccess> access;
  std::vector<FunctionWaiting> waiting;
  std::vector<BlockIndependence> blocks;
  std::vector<Resources> resources;
};

std::vector<InspectedParameter> parameters_of(const Module& module, const Function& function,
                                              const FunctionAccess& access) {
  std::vector<InspectedParameter> list;
  std::uint32_t offset = 0;
  for (std::uint32_t p = 0; p < function.parameters.size(); ++p) {
    const Variable& variable = function.parameters[p];
    const MemoryUse& use = access.parameters[p];
    InspectedParameter parameter;
    parameter.name = variable.name;
    parameter.type = type_text(variable);
    parameter.size = static_cast<std::uint32_t>(variable.size());
    parameter.alignment = variable.alignment();
    if (parameter.alignment != 0)
      offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    parameter.offset = offset;
    offset += parameter.size;
    parameter.is_pointer = use.is_pointer;
    parameter.may_be_index = use.may_be_index;
    parameter.in_addresses = use.in_addresses;
    parameter.access = use.mode;
    parameter.read_at = use.read_at;
    parameter.written_at = use.written_at;
    if (use.mode == AccessMode::unknown) parameter.reason = reason_text(module, use.reason);
    if (parameter.size > 8)
      for (const MemoryUse& field : access.fields)
        if (field.index == p) parameter.fields.push_back(field);
    list.push_back(std::move(parameter));
  }
  return list;
}

std::vector<std::string> warnings_of(const Module& module, const Function& function, const InspectedKernel& kernel) {
  std::vector<std::string> warnings;
  const auto at = [&](std::uint32_t i) { return describe_instruction(function, i); };
  for (std::uint32_t i : kernel.waiting.divergent_barriers)
    warnings.push_back(at(i) + " may be reached by only some of the threads that are left");
  for (const SpinLoop& spin : kernel.waiting.spin_loops) {
    if (spin.endless)
      warnings.push_back(at(spin.instruction) + " begins a loop that never ends once it has begun a second turn");
    if (spin.intra_warp)
      warnings.push_back(at(spin.instruction) +
                         " is waited on in a loop that threads of one warp leave at different times");
  }
  if (kernel.waiting.reaches_recursion)
    warnings.push_back("calls functions that call themselves: the stack it needs cannot be told");
  if (kernel.waiting.calls_indirectly) warnings.push_back("calls through function pointers");
  if (kernel.waiting.calls_unknown) warnings.push_back("calls functions that the module does not have");
  if (kernel.elsewhere != AccessMode::none)
    warnings.push_back("accesses memory that no parameter leads to: " + kernel.elsewhere_reason);
  static_cast<void>(module);
  return warnings;
}

InspectedKernel assemble(const Module& module, const ModuleFacts& facts, std::uint32_t index) {
  const Function& function = module.functions[index];
  InspectedKernel kernel;
  kernel.name = function.name;
  kernel.function = index;
  kernel.line = function.line;
  kernel.parameters = parameters_of(module, function, facts.access[index]);
  for (const MemoryUse& use : facts.access[index].variables)
    kernel.variables.push_back({module.variables[use.index].name, module.variables[use.index].space, use.mode});
  kernel.elsewhere = facts.access[index].elsewhere;
  kernel.elsewhere_reason = reason_text(module, facts.access[index].elsewhere_reason);
  kernel.resources = facts.resources[index];
  kernel.blocks = facts.blocks[index];
  if (!kernel.blocks.independent()) kernel.dependence = describe(module, kernel.blocks);
  kernel.waiting = facts.waiting[index];
  kernel.warnings = warnings_of(module, function, kernel);
  return kernel;
}

}  // namespace

Inspection inspect(const Module& module) {
  const ModuleFacts facts(module);
  Inspection inspection;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    if (module.functions[f].is_entry && !module.functions[f].is_declaration)
      inspection.kernels.push_back(assemble(module, facts, f));
  return inspection;
}

InspectedKernel inspect_kernel(const Module& module, std::uint32_t function) {
  return assemble(module, ModuleFacts(module), function);
}

}  // namespace heddle::ptx::analysis
