#include <fmt/format.h>

#include <cstring>

#include "base/fail.hpp"
#include "device/cpu/function_handle.hpp"
#include "device/cpu/module.hpp"
#include "device/placed_variables.hpp"

namespace heddle::device::cpu {
namespace {

bool is_stored(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

std::size_t stored_size(const ptx::Variable& variable) {
  if (!variable.unsized()) return variable.size();
  // [] takes its size from what is written; the first dimension counts rows of the others.
  std::size_t row = ptx::byte_size(variable.type) * variable.vector;
  for (std::size_t i = 1; i < variable.dims.size(); ++i) row *= variable.dims[i];
  const std::size_t written = variable.init.size() * ptx::byte_size(variable.type);
  return row == 0 ? 0 : (written + row - 1) / row * row;
}

}  // namespace

ModuleVariables::ModuleVariables(const ptx::Module& module, std::shared_ptr<Allocator> allocator,
                                 std::span<const PlacedVariable> given)
    : module_(module), allocator_(std::move(allocator)) {
  // Those of the host first: what is wrong with them is found before any memory is taken.
  for (const bool of_host : {true, false})
    for (std::uint32_t i = 0; i < module.variables.size(); ++i)
      if (const PlacedVariable* at = find_placed(given, module.variables[i]); of_host == (at != nullptr))
        place(module.variables[i], {KernelUnit::module_scope, i}, at);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    for (std::uint32_t i = 0; i < module.functions[f].variables.size(); ++i)
      place(module.functions[f].variables[i], {f, i}, nullptr);
  for (auto& [source, placed] : placed_)
    if (placed.address != 0) initialize(placed, source.function);
}

ModuleVariables::~ModuleVariables() {
  for (const auto& [source, placed] : placed_) {
    if (placed.address == 0 || placed.given) continue;
    allocator_->release(placed.address, placed.variable->space == ptx::Space::constant ? AllocationKind::constant
                                                                                       : AllocationKind::variable);
  }
}

void ModuleVariables::place(const ptx::Variable& variable, KernelUnit::VariableSource source,
                            const PlacedVariable* given) {
  if (!is_stored(variable)) return;
  Placed placed;
  placed.variable = &variable;
  placed.size = stored_size(variable);
  if (variable.linkage == ptx::Linkage::external) {
    placed.problem = fmt::format(
        "variable '{}' is declared .extern and defined in another module; link the modules first", variable.name);
  } else if (given) {
    placed.address = placed_address(variable, placed.size, *given);
    placed.given = true;
    allocator_->name_host(placed.address, variable.name);
  } else {
    const bool constant = variable.space == ptx::Space::constant;
    placed.address = allocator_->allocate(placed.size, constant ? AllocationKind::constant : AllocationKind::variable,
                                          variable.name);
  }
  placed_.emplace(source, std::move(placed));
}

std::uint64_t ModuleVariables::value_of(const ptx::InitValue& value, std::uint32_t owner, std::string& problem) const {
  using Kind = ptx::InitValue::Kind;
  if (value.kind == Kind::integer || value.kind == Kind::real) return value.bits;
  const ptx::SymbolRef& symbol = value.symbol;
  if (symbol.kind == ptx::SymbolRef::Kind::function) {
    return value.selected(function_handle(module_.functions[symbol.index].name));
  }
  const bool local = symbol.kind == ptx::SymbolRef::Kind::local_variable;
  const auto target = placed_.find({local ? owner : KernelUnit::module_scope, symbol.index});
  if (target == placed_.end() || target->second.address == 0) {
    problem = "the initial value holds the address of a variable that has no fixed one";
    return 0;
  }
  return value.selected(target->second.address + static_cast<std::uint64_t>(value.offset));
}

void ModuleVariables::initialize(Placed& placed, std::uint32_t owner) {
  const ptx::Variable& variable = *placed.variable;
  auto* bytes = reinterpret_cast<std::uint8_t*>(placed.address);
  if (!placed.given) std::memset(bytes, 0, placed.size);
  const std::size_t element = ptx::byte_size(variable.type);
  for (std::size_t i = 0; i < variable.init.size() && (i + 1) * element <= placed.size; ++i) {
    if (placed.given && !needs_device_address(variable.init[i], bytes + i * element, element)) continue;
    std::string problem;
    const std::uint64_t value = value_of(variable.init[i], owner, problem);
    if (!problem.empty() && placed.problem.empty()) {
      placed.problem = fmt::format("variable '{}' cannot be used on the CPU device: {}", variable.name, problem);
    }
    std::memcpy(bytes + i * element, &value, std::min(element, sizeof value));
  }
}

Span ModuleVariables::find(Device* device, std::string_view name) const {
  std::string names;
  for (const auto& [source, placed] : placed_) {
    if (source.function != KernelUnit::module_scope) continue;
    if (placed.variable->name == name && placed.address != 0) return {device, placed.address, placed.size};
    names += (names.empty() ? "" : ", ") + placed.variable->name;
  }
  base::fail(ErrorCode::not_found, "no variable '{}' in the module; it has {}", name, names.empty() ? "none" : names);
}

std::uint8_t* ModuleVariables::address(const KernelUnit::VariableSource& source) const {
  const auto found = placed_.find(source);
  if (found == placed_.end()) return nullptr;  // shared memory has no address here
  if (!found->second.problem.empty()) base::fail(ErrorCode::unsupported, "{}", found->second.problem);
  return reinterpret_cast<std::uint8_t*>(found->second.address);
}

}  // namespace heddle::device::cpu
