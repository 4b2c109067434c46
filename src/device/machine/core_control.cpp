// Branches, calls and returns.
#include <fmt/format.h>
#include <algorithm>
#include <bit>

#include <cstring>

#include "device/machine/core.hpp"

namespace heddle::device::machine {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

void Core::branch(std::uint32_t label) {
  const std::uint32_t target = thread_->frame().code->function->labels[label].position;
  thread_->pc() = target;
  jumped_ = true;
  effects_->branched |= LaneMask{1} << lane_;
  effects_->target[lane_] = target;
}

void Core::indexed_branch() {
  const std::uint64_t index = read_word(0);
  const ptx::Table& table = thread_->frame().code->function->tables[operand(1).index];
  if (index >= table.targets.size()) {
    fault(fmt::format("brx.idx with index {} into the {} targets of '{}'", index, table.targets.size(), table.name));
  }
  branch(table.targets[index]);
}

void Core::call() {
  const Operand& callee = operand(1);
  const Code* code = nullptr;
  if (callee.kind == OperandKind::symbol) {
    code = &grid_.kernel.program().code(callee.symbol.index);
  } else {
    const std::uint64_t address = read(callee, Type::b64).lo;
    code = grid_.kernel.program().code_at(address);
    if (!code) fault(fmt::format("a call through {:#x}, which is not the address of a function", address));
  }
  const ptx::Module& module = grid_.kernel.program().ptx();
  for (const ptx::Alias& alias : module.aliases) {
    if (!code->function->is_declaration || alias.name != code->function->name) continue;
    if (const ptx::Function* target = module.find(alias.target))
      code = &grid_.kernel.program().code(static_cast<std::uint32_t>(target - module.functions.data()));
  }
  if (code->function->is_declaration) {
    system_call(code->function->name);
    return;
  }
  enter_function(*code, operand(2));
}

// Puts it where the callee has the parameter; the value, for parameters that are registers.
Core::Value Core::pass_argument(const Operand& argument, const ptx::Variable& parameter, std::byte* to) {
  Value value;
  if (argument.kind == OperandKind::symbol && variable_of(argument.symbol).space == ptx::Space::param) {
    const std::uint64_t bytes = std::min(variable_of(argument.symbol).size(), parameter.size());
    const auto place = symbol_address(argument.symbol);
    const bool kernel_parameter = argument.symbol.kind == ptx::SymbolRef::Kind::parameter && function_->is_entry;
    const std::byte* source = kernel_parameter ? reinterpret_cast<const std::byte*>(place) : local_memory(place, bytes);
    std::memcpy(to, source, bytes);
    std::memcpy(&value, source, std::min<std::uint64_t>(bytes, sizeof value));
  } else {
    value = read(argument, parameter.type);
    std::memcpy(to, &value, std::min<std::uint64_t>(parameter.size(), sizeof value));
  }
  return value;
}

namespace {

// Of the callers of `caller`, and the place in its function where it goes on after the call.
std::uint64_t path_of_call(const Frame& caller) {
  const std::uint64_t place = (std::uint64_t{caller.code->index} << 32) + caller.pc;
  return (std::rotl(caller.path(), 23) ^ place) * 0x9e3779b97f4a7c15ull;
}

// Whether parameter or result `i` is a register of the function: of several, some may be.
bool in_register(const std::vector<std::uint32_t>& registers, std::size_t i) {
  return i < registers.size() && registers[i] != ptx::Function::no_register;
}

}  // namespace

void Core::enter_function(const Code& code, const Operand& arguments) {
  const ptx::Function& function = *code.function;
  const std::size_t given = arguments.kind == OperandKind::vector ? arguments.elements.size() : 0;
  if (given != function.parameters.size()) {
    fault(
        fmt::format("a call of '{}' with {} arguments; it takes {}", function.name, given, function.parameters.size()));
  }
  Frame& caller = thread_->frame();
  Frame frame;
  frame.code = &code;
  frame.called = std::make_unique<CalledFrame>();
  frame.called->call = inst_;
  frame.base = static_cast<std::uint32_t>(align_up(caller.top, code.frame.own_alignment));
  // A call takes some of the stack in any case, so that recursion without an end has one.
  constexpr std::uint64_t least_bytes = 16;
  const std::uint64_t top = frame.base + std::max(code.frame.bytes, least_bytes);
  frame.top = static_cast<std::uint32_t>(top);
  const auto count = static_cast<std::uint32_t>(function.registers.size());
  frame.called->registers = std::make_unique<std::uint64_t[]>(std::size_t{count} * (code.wide ? 2 : 1));
  std::uint64_t* const low = frame.called->registers.get();
  frame.registers = {low, code.wide ? low + count : nullptr, 1, count};
  std::byte* memory = local_memory(frame.base, code.frame.bytes);
  const Options& options = machine_.options;
  std::memset(memory, options.poison ? options.poison_byte : 0, code.frame.bytes);
  for (std::size_t i = 0; i < given; ++i) {
    const Value value = pass_argument(arguments.elements[i], function.parameters[i], memory + code.frame.parameters[i]);
    if (in_register(function.parameter_registers, i)) frame.registers.set(function.parameter_registers[i], value);
  }
  caller.pc = thread_->pc() + 1;  // where the call returns to
  frame.called->path = path_of_call(caller);
  thread_->pc() = 0;
  jumped_ = true;
  effects_->called |= LaneMask{1} << lane_;
  thread_->frames.push_back(std::move(frame));
}

void Core::return_from_function() {
  if (thread_->frames.size() == 1) {
    exit_thread();
    return;
  }
  const Frame callee = std::move(thread_->frames.back());
  thread_->frames.pop_back();
  thread_->pc() = thread_->frame().pc;
  jumped_ = true;
  effects_->returned |= LaneMask{1} << lane_;
  const ptx::Function& function = *callee.code->function;
  const Operand& results = callee.called->call->operands[0];
  const std::size_t wanted = results.kind == OperandKind::vector ? results.elements.size() : 0;
  for (std::size_t i = 0; i < std::min(wanted, function.returns.size()); ++i) {
    const ptx::Variable& result = function.returns[i];
    const std::byte* source = local_memory(callee.base + callee.code->frame.returns[i], result.size());
    Value value;
    std::memcpy(&value, source, std::min<std::uint64_t>(result.size(), sizeof value));
    if (in_register(function.return_registers, i)) value = callee.registers.get(function.return_registers[i]);
    const Operand& target = results.elements[i];
    if (target.kind == OperandKind::reg) {
      write(target, result.type, value);
    } else if (target.kind == OperandKind::symbol) {
      std::byte* place = local_memory(symbol_address(target.symbol), result.size());
      if (in_register(function.return_registers, i))
        std::memcpy(place, &value, std::min<std::uint64_t>(result.size(), sizeof value));
      else
        std::memcpy(place, source, std::min(result.size(), variable_of(target.symbol).size()));
    }
  }
}

void Core::exit_thread() {
  thread_->state = ThreadState::exited;
  jumped_ = true;
  effects_->exited |= LaneMask{1} << lane_;
  --block_->alive;
  ++memory_epoch_;  // others may have waited for it
}

}  // namespace heddle::device::machine
