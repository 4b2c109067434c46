#include "device/machine/program.hpp"

#include <cstring>
#include <new>

#include "device/parameter_layout.hpp"
#include "device/placed_variables.hpp"

namespace heddle::device::machine {
namespace {

constexpr std::size_t variable_alignment = 256;

bool has_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

}  // namespace

struct Program::Storage {
  Storage(Machine& owner, Allocation::Kind kind, std::string name, std::uint64_t size) : machine(owner) {
    data = static_cast<std::byte*>(::operator new(size, std::align_val_t{variable_alignment}));
    std::memset(data, 0, size);
    machine.memory.add({kind, reinterpret_cast<std::uint64_t>(data), size, std::move(name)});
  }
  ~Storage() {
    machine.memory.remove(reinterpret_cast<std::uint64_t>(data));
    ::operator delete(data, std::align_val_t{variable_alignment});
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  Machine& machine;
  std::byte* data;
};

Kernel::Kernel(const Program& program, const Code& code)
    : program_(program),
      code_(code),
      parameters_(parameter_layout(code.function->parameters)),
      parameter_bytes_(device::parameter_bytes(code.function->parameters)),
      shared_(shared_layout(program.ptx(), *code.function)) {}

Program::Program(Machine& machine, std::shared_ptr<const ptx::Module> module, std::span<const PlacedVariable> placed)
    : machine_(machine), module_(std::move(module)) {
  for (const ptx::Variable& variable : module_->variables)
    addresses_.push_back(store(variable, find_placed(placed, variable)));
  for (std::size_t i = 0; i < module_->functions.size(); ++i) {
    const ptx::Function& function = module_->functions[i];
    auto code = std::make_unique<Code>(decode(function, static_cast<std::uint32_t>(i)));
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

Program::~Program() = default;

std::uint64_t Program::store(const ptx::Variable& variable, const PlacedVariable* place) {
  const std::uint64_t size = stored_size(variable);
  if (!has_memory(variable) || size == 0) return 0;
  if (place && variable.linkage != ptx::Linkage::external) {
    const std::uint64_t address = placed_address(variable, size, *place);
    machine_.memory.name_host(address, variable.name);
    return address;
  }
  const auto kind = variable.space == ptx::Space::constant ? Allocation::Kind::constant : Allocation::Kind::variable;
  storage_.push_back(std::make_unique<Storage>(machine_, kind, variable.name, size));
  return reinterpret_cast<std::uint64_t>(storage_.back()->data);
}

std::uint64_t Program::symbol_value(const ptx::Function* function, const ptx::SymbolRef& symbol) const {
  using Kind = ptx::SymbolRef::Kind;
  switch (symbol.kind) {
    case Kind::module_variable: return addresses_[symbol.index];
    case Kind::function: return reinterpret_cast<std::uint64_t>(codes_[symbol.index].get());
    case Kind::local_variable:
      if (function) return code(*function).static_addresses[symbol.index];
      break;
    default: break;
  }
  return 0;
}

void Program::initialise(const ptx::Function* function, const ptx::Variable& variable, std::uint64_t address,
                         bool placed) {
  const std::uint64_t element = ptx::byte_size(variable.type);
  auto* at = reinterpret_cast<std::byte*>(address);
  for (const ptx::InitValue& value : variable.init) {
    if (placed && !needs_device_address(value, at, element)) {
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

const Code* Program::code_at(std::uint64_t address) const {
  for (const auto& code : codes_)
    if (reinterpret_cast<std::uint64_t>(code.get()) == address) return code.get();
  return nullptr;
}

}  // namespace heddle::device::machine
