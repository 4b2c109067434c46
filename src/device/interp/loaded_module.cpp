#include "device/interp/loaded_module.hpp"

#include <cstring>
#include <new>

#include "base/fail.hpp"
#include "device/device.hpp"
#include "device/placed_variables.hpp"

namespace heddle::device::interp {
namespace {

constexpr std::size_t variable_alignment = 256;

bool has_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

}  // namespace

struct LoadedModule::Storage {
  Storage(DeviceState& owner, Allocation::Kind kind, std::string name, std::uint64_t size) : state(owner), bytes(size) {
    data = static_cast<std::byte*>(::operator new(size, std::align_val_t{variable_alignment}));
    std::memset(data, 0, size);
    state.memory.add({kind, reinterpret_cast<std::uint64_t>(data), size, std::move(name)});
  }
  ~Storage() {
    state.memory.remove(reinterpret_cast<std::uint64_t>(data));
    ::operator delete(data, std::align_val_t{variable_alignment});
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  DeviceState& state;
  std::byte* data;
  std::uint64_t bytes;
};

LoadedFunction::LoadedFunction(LoadedModule& module, const Code& code) : module_(module), code_(code) {
  parameters_ = parameter_layout(*code.function, parameter_bytes_);
  shared_ = shared_layout(module.ptx(), *code.function);
}

LoadedModule::LoadedModule(Device& device, std::shared_ptr<DeviceState> state,
                           std::shared_ptr<const ptx::Module> module, std::span<const PlacedVariable> placed)
    : device_(device), state_(std::move(state)), module_(std::move(module)) {
  for (const ptx::Variable& variable : module_->variables)
    addresses_.push_back(store(variable, find_placed(placed, variable)));
  for (std::size_t i = 0; i < module_->functions.size(); ++i) {
    const ptx::Function& function = module_->functions[i];
    auto code = std::make_unique<Code>();
    code->function = &function;
    code->index = static_cast<std::uint32_t>(i);
    code->slots.reserve(function.body.size());
    for (const ptx::Instruction& inst : function.body) code->slots.push_back(ptx::slots(inst));
    code->frame = frame_layout(function);
    for (const ptx::Variable& variable : function.variables) code->static_addresses.push_back(store(variable, nullptr));
    codes_.push_back(std::move(code));
  }
  for (std::size_t i = 0; i < addresses_.size(); ++i)
    if (addresses_[i])
      initialise(nullptr, module_->variables[i], addresses_[i], find_placed(placed, module_->variables[i]) != nullptr);
  for (const auto& code : codes_)
    for (std::size_t i = 0; i < code->static_addresses.size(); ++i)
      if (code->static_addresses[i])
        initialise(code->function, code->function->variables[i], code->static_addresses[i], false);
}

LoadedModule::~LoadedModule() = default;

std::uint64_t LoadedModule::store(const ptx::Variable& variable, const PlacedVariable* place) {
  const std::uint64_t size = stored_size(variable);
  if (!has_memory(variable) || size == 0) return 0;
  if (place && variable.linkage != ptx::Linkage::external) {
    const std::uint64_t address = placed_address(variable, size, *place);
    state_->memory.name_host(address, variable.name);
    return address;
  }
  const auto kind = variable.space == ptx::Space::constant ? Allocation::Kind::constant : Allocation::Kind::variable;
  storage_.push_back(std::make_unique<Storage>(*state_, kind, variable.name, size));
  return reinterpret_cast<std::uint64_t>(storage_.back()->data);
}

std::uint64_t LoadedModule::symbol_value(const ptx::Function* function, const ptx::SymbolRef& symbol) const {
  using Kind = ptx::SymbolRef::Kind;
  switch (symbol.kind) {
    case Kind::module_variable: return addresses_[symbol.index];
    case Kind::function: return reinterpret_cast<std::uint64_t>(codes_[symbol.index].get());
    case Kind::local_variable:
      if (function)
        return codes_[static_cast<std::size_t>(function - module_->functions.data())]->static_addresses[symbol.index];
      break;
    default: break;
  }
  return 0;
}

void LoadedModule::initialise(const ptx::Function* function, const ptx::Variable& variable, std::uint64_t address,
                              bool placed) {
  const std::uint64_t element = ptx::byte_size(variable.type);
  auto* at = reinterpret_cast<std::byte*>(address);
  for (const ptx::InitValue& value : variable.init) {
    if (placed && !awaits_address(value, at, element)) {
      at += element;
      continue;
    }
    std::uint64_t bits = value.bits;
    if (value.kind == ptx::InitValue::Kind::symbol || value.kind == ptx::InitValue::Kind::generic_symbol) {
      bits = value.selected(symbol_value(function, value.symbol) + static_cast<std::uint64_t>(value.offset));
    }
    std::memcpy(at, &bits, std::min<std::uint64_t>(element, sizeof bits));
    at += element;
  }
}

const Code* LoadedModule::code_at(std::uint64_t address) const {
  for (const auto& code : codes_)
    if (reinterpret_cast<std::uint64_t>(code.get()) == address) return code.get();
  return nullptr;
}

void LoadedModule::no_function(std::string_view name) const {
  std::string names;
  for (const ptx::Function& function : module_->functions)
    if (function.is_entry) names += (names.empty() ? "" : ", ") + function.name;
  base::fail(ErrorCode::not_found, "the module has no kernel '{}'; it has {}", name, names.empty() ? "none" : names);
}

Function& LoadedModule::function(std::string_view name) {
  const ptx::Function* found = module_->find(name);
  if (!found || !found->is_entry || found->is_declaration) no_function(name);
  std::lock_guard lock(mutex_);
  auto place = functions_.find(name);
  if (place == functions_.end()) {
    const Code& code = *codes_[static_cast<std::size_t>(found - module_->functions.data())];
    place = functions_.emplace(std::string(name), std::make_unique<LoadedFunction>(*this, code)).first;
  }
  return *place->second;
}

Span LoadedModule::variable(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const ptx::Variable& variable = module_->variables[i];
    if (variable.name == name && addresses_[i]) return {&device_, addresses_[i], stored_size(variable)};
    if (addresses_[i]) names += (names.empty() ? "" : ", ") + variable.name;
  }
  base::fail(ErrorCode::not_found, "the module has no .global or .const variable '{}'; it has {}", name,
             names.empty() ? "none" : names);
}

}  // namespace heddle::device::interp
