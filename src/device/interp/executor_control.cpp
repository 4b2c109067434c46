// Branches, calls and returns.
#include <fmt/format.h>

#include <cstring>

#include "device/interp/executor.hpp"

namespace heddle::device::interp {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

// All that decides what the thread does next, except memory.
std::uint64_t state_hash(const Thread& thread) {
  std::uint64_t hash = thread.frames.size();
  for (const Frame& frame : thread.frames) {
    hash = mix(hash, reinterpret_cast<std::uint64_t>(frame.code));
    hash = mix(hash, (std::uint64_t{frame.pc} << 1) | (frame.carry ? 1 : 0));
    for (const auto& value : frame.registers) hash = mix(mix(hash, value.lo), value.hi);
  }
  return hash;
}

}  // namespace

void Executor::watch_spin() {
  SpinWatch& spin = thread_->spin;
  const std::uint64_t epoch = launch_.state.memory_epoch, hash = state_hash(*thread_);
  if (spin.epoch != epoch) {
    spin = {};
    spin.hash = hash;
    spin.epoch = epoch;
    return;
  }
  if (spin.hash == hash) {
    spin.repeats = true;
    spin.repeated_epoch = epoch;
  }
  if (++spin.turns < spin.next) return;
  // Time to remember a later state; one that did not come back since the last time was no repetition after all (it may
  // hang on what other lanes passed in a warp operation).
  if (!spin.repeats) spin.repeated_epoch = ~std::uint64_t{0};
  spin.repeats = false;
  spin.hash = hash;
  spin.next = 2 * spin.turns;
}

void Executor::branch(std::uint32_t label) {
  Frame& frame = thread_->frame();
  const std::uint32_t target = frame.code->function->labels[label].position;
  const bool backward = target <= frame.pc;
  frame.pc = target;
  jumped_ = true;
  if (backward && launch_.watch_spinning) watch_spin();
}

void Executor::indexed_branch() {
  const std::uint64_t index = read_word(0);
  const ptx::Table& table = thread_->frame().code->function->tables[operand(1).index];
  if (index >= table.targets.size()) {
    fault(fmt::format("brx.idx with index {} into the {} targets of '{}'", index, table.targets.size(), table.name));
  }
  branch(table.targets[index]);
}

void Executor::call() {
  const Operand& callee = operand(1);
  const Code* code = nullptr;
  if (callee.kind == OperandKind::symbol) {
    code = &launch_.function.module().code(callee.symbol.index);
  } else {
    const std::uint64_t address = read(callee, Type::b64).lo;
    code = launch_.function.module().code_at(address);
    if (!code) fault(fmt::format("a call through {:#x}, which is not the address of a function", address));
  }
  const ptx::Module& module = launch_.function.module().ptx();
  for (const ptx::Alias& alias : module.aliases) {
    if (!code->function->is_declaration || alias.name != code->function->name) continue;
    if (const ptx::Function* target = module.find(alias.target))
      code = &launch_.function.module().code(static_cast<std::uint32_t>(target - module.functions.data()));
  }
  if (code->function->is_declaration) {
    system_call(code->function->name, *inst_);
    return;
  }
  enter_function(*code, *inst_, operand(2));
}

void Executor::enter_function(const Code& code, const ptx::Instruction& inst, const Operand& arguments) {
  const ptx::Function& function = *code.function;
  const std::size_t given = arguments.kind == OperandKind::vector ? arguments.elements.size() : 0;
  if (given != function.parameters.size()) {
    fault(
        fmt::format("a call of '{}' with {} arguments; it takes {}", function.name, given, function.parameters.size()));
  }
  Frame& caller = thread_->frame();
  Frame frame;
  frame.code = &code;
  frame.call = &inst;
  frame.base = align_up(caller.top, FrameLayout::alignment);
  frame.top = frame.base + code.frame.bytes;
  frame.registers.resize(function.registers.size());
  std::byte* memory = local_memory(frame.base, code.frame.bytes);
  const InterpOptions& options = launch_.state.options;
  std::memset(memory, options.poison ? options.poison_byte : 0, code.frame.bytes);
  for (std::size_t i = 0; i < given; ++i) {
    const Operand& argument = arguments.elements[i];
    const ptx::Variable& parameter = function.parameters[i];
    Value value;
    if (argument.kind == OperandKind::symbol && variable_of(argument.symbol).space == ptx::Space::param) {
      const std::uint64_t bytes = std::min(variable_of(argument.symbol).size(), parameter.size());
      const auto place = symbol_address(argument.symbol);
      const bool kernel_parameter =
          argument.symbol.kind == ptx::SymbolRef::Kind::parameter && caller.code->function->is_entry;
      const std::byte* source =
          kernel_parameter ? reinterpret_cast<const std::byte*>(place) : local_memory(place, bytes);
      std::memcpy(memory + code.frame.parameters[i], source, bytes);
      std::memcpy(&value, source, std::min<std::uint64_t>(bytes, sizeof value));
    } else {
      value = read(argument, parameter.type);
      std::memcpy(memory + code.frame.parameters[i], &value, std::min<std::uint64_t>(parameter.size(), sizeof value));
    }
    if (i < function.parameter_registers.size()) frame.registers[function.parameter_registers[i]] = value;
  }
  ++caller.pc;  // where the call returns to
  jumped_ = true;
  thread_->frames.push_back(std::move(frame));
}

void Executor::return_from_function() {
  if (thread_->frames.size() == 1) {
    exit_thread();
    return;
  }
  const Frame callee = std::move(thread_->frames.back());
  thread_->frames.pop_back();
  jumped_ = true;
  const ptx::Function& function = *callee.code->function;
  const Operand& results = callee.call->operands[0];
  const std::size_t wanted = results.kind == OperandKind::vector ? results.elements.size() : 0;
  for (std::size_t i = 0; i < std::min(wanted, function.returns.size()); ++i) {
    const ptx::Variable& result = function.returns[i];
    const std::byte* source = local_memory(callee.base + callee.code->frame.returns[i], result.size());
    Value value;
    std::memcpy(&value, source, std::min<std::uint64_t>(result.size(), sizeof value));
    if (i < function.return_registers.size()) value = callee.registers[function.return_registers[i]];
    const Operand& target = results.elements[i];
    if (target.kind == OperandKind::reg) {
      write(target, result.type, value);
    } else if (target.kind == OperandKind::symbol) {
      std::byte* place = local_memory(symbol_address(target.symbol), result.size());
      if (i < function.return_registers.size())
        std::memcpy(place, &value, std::min<std::uint64_t>(result.size(), sizeof value));
      else
        std::memcpy(place, source, std::min(result.size(), variable_of(target.symbol).size()));
    }
  }
}

void Executor::exit_thread() {
  thread_->state = ThreadState::exited;
  jumped_ = true;
  --block_->alive;
  ++launch_.state.memory_epoch;  // others may have waited for it
}

}  // namespace heddle::device::interp
