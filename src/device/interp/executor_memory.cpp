// Loads, stores and atomics. Every access passes resolve(), which checks it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "device/fault_text.hpp"
#include "device/footprint.hpp"
#include "device/interp/executor.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/semantics/integer.hpp"

namespace heddle::device::interp {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::ReduceOp;
using ptx::Space;
using ptx::Type;
namespace semantics = ptx::semantics;

namespace {

const char* space_name(Space space) {
  switch (space) {
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::constant: return "constant";
    case Space::param: return "parameter";
    case Space::generic: break;
  }
  return "generic";
}

bool uses_stack(const ptx::Function& function) {
  for (const ptx::Instruction& inst : function.body)
    if (inst.opcode == Opcode::call || inst.opcode == Opcode::alloca) return true;
  return false;
}

}  // namespace

std::byte* Executor::local_memory(std::uint64_t offset, std::uint64_t size) {
  Thread& thread = *thread_;
  if (!thread.local) {
    const InterpOptions& options = launch_.state.options;
    const Code& entry = *thread.frames.front().code;
    thread.local_bytes = align_up(entry.frame.bytes + (uses_stack(*entry.function) ? options.stack_bytes : 0), 16) + 16;
    // Aligned like the windows of shared memory, as variables may ask for it.
    thread.local = std::make_unique_for_overwrite<std::byte[]>(thread.local_bytes);
    std::memset(thread.local.get(), options.poison ? options.poison_byte : 0, thread.local_bytes);
  }
  if (offset > thread.local_bytes || size > thread.local_bytes - offset) {
    fault(fmt::format("the thread's stack is used up: {} wanted, it has {}", base::counted(offset + size, "byte"),
                      thread.local_bytes));
  }
  return thread.local.get() + offset;
}

void Executor::bad_access(Place place, std::uint64_t size, Access access, const std::string& why) const {
  fault(fmt::format("cannot {} {} at {:#x} of {} memory: {}",
                    access == Access::read    ? "read"
                    : access == Access::write ? "write"
                                              : "read and write",
                    base::counted(size, "byte"), place.address, space_name(place.space), why),
        place.address % size != 0 ? KernelFault::misaligned : KernelFault::memory_access);
}

std::byte* Executor::resolve(Place place, std::uint64_t size, Access access, std::uint64_t alignment) {
  const std::uint64_t address = place.address;
  if (address % alignment != 0)
    bad_access(place, alignment, access, fmt::format("misaligned, the address is not a multiple of {}", alignment));
  const auto within = [&](std::uint64_t base, std::uint64_t bytes) {
    return address >= base && address - base <= bytes && size <= bytes - (address - base);
  };
  if (place.space == Space::shared) {
    if (within(0, block_->shared_bytes)) return block_->shared + address;
    bad_access(place, size, access,
               fmt::format("the block's shared memory has {}{}", base::counted(block_->shared_bytes, "byte"),
                           dynamic_shared_hint(launch_.function.module().ptx(), launch_.function.ptx(),
                                               launch_.config.dynamic_shared_bytes)));
  }
  if (place.space == Space::local) {
    if (within(0, thread_->frame().top)) return local_memory(address, size);
    bad_access(place, size, access,
               fmt::format("the thread's local variables take {}", base::counted(thread_->frame().top, "byte")));
  }
  const auto parameters = reinterpret_cast<std::uint64_t>(launch_.parameter_data);
  if (place.space == Space::param || place.space == Space::generic) {
    if (within(parameters, launch_.function.parameter_bytes())) {
      if (access == Access::read) return reinterpret_cast<std::byte*>(address);
      bad_access(place, size, access, "kernel parameters cannot be written");
    }
  }
  if (place.space == Space::generic || place.space == Space::param) {
    if (within(reinterpret_cast<std::uint64_t>(block_->shared), block_->shared_bytes))
      return reinterpret_cast<std::byte*>(address);
    if (thread_->local && within(reinterpret_cast<std::uint64_t>(thread_->local.get()), thread_->frame().top))
      return reinterpret_cast<std::byte*>(address);
  }
  const auto allocation = launch_.state.memory.find(address, size);
  if (!allocation) bad_access(place, size, access, launch_.state.memory.describe_nearest(address));
  const Footprint::Access touched{address, size, access != Access::write, access != Access::read};
  if (allocation->guarded && launch_.footprint != nullptr && !launch_.footprint->allows(touched))
    bad_access(place, size, access,
               "it is " + launch_.footprint->describe(touched, allocation->address, allocation->size));
  const bool constant = allocation->kind == Allocation::Kind::constant;
  if (constant && access != Access::read) bad_access(place, size, access, describe(*allocation) + " cannot be written");
  if (place.space == Space::constant && !constant)
    bad_access(place, size, access, describe(*allocation) + " is not constant memory");
  return reinterpret_cast<std::byte*>(address);
}

Executor::Place Executor::place_of(const Operand& operand, Space space) {
  const auto offset = static_cast<std::uint64_t>(operand.value);
  if (operand.base == OperandKind::reg) {
    const ptx::Register& reg = thread_->frame().code->function->registers[operand.index];
    std::uint64_t base = thread_->frame().registers[operand.index].lo;
    // Offsets in the windows may be kept in 32 bits; then the sum is one of 32 bits too.
    if (ptx::bit_width(reg.type) == 32) return {space, (base + offset) & 0xffffffff};
    return {space, base + offset};
  }
  if (operand.base != OperandKind::symbol) return {space, offset};
  const std::uint64_t base = symbol_address(operand.symbol);
  const bool entry = thread_->frame().code->function->is_entry;
  Space own = variable_of(operand.symbol).space;
  using Kind = ptx::SymbolRef::Kind;
  const bool kernel_parameter = operand.symbol.kind == Kind::parameter && entry;
  if (own == Space::param && !kernel_parameter) own = Space::local;  // call arguments and results live in the frame
  return {own, base + offset};
}

void Executor::note_change(const std::byte* at) {
  const auto local = thread_->local.get();
  if (local && at >= local && at < local + thread_->local_bytes) {
    thread_->spin.epoch = ~std::uint64_t{0};  // its own state has changed: what was remembered does not hold
  } else {
    ++launch_.state.memory_epoch;
  }
}

Executor::Value Executor::load(Place place, std::uint64_t size) {
  Value value;
  std::memcpy(&value, resolve(place, size, Access::read), size);
  return value;
}

void Executor::store(Place place, std::uint64_t size, Value value) {
  std::byte* at = resolve(place, size, Access::write);
  if (std::memcmp(at, &value, size) == 0) return;
  std::memcpy(at, &value, size);
  note_change(at);
}

void Executor::load_instruction() {
  const Operand& target = operand(0);
  const Space space = inst_->opcode == Opcode::ldu ? Space::global : inst_->d.space;
  const Place place = place_of(operand(1), space);
  const Type type = inst_->d.type;
  const std::uint64_t size = ptx::byte_size(type);
  if (target.kind != OperandKind::vector) {
    const Value value = load(place, size);
    write(target, type, value);
    return;
  }
  const std::uint64_t count = target.elements.size();
  const std::byte* at = resolve(place, size * count, Access::read);
  std::vector<Value> values(count);
  for (std::uint64_t i = 0; i < count; ++i) std::memcpy(&values[i], at + i * size, size);
  for (std::uint64_t i = 0; i < count; ++i) write(target.elements[i], type, values[i]);
}

void Executor::store_instruction() {
  if (inst_->has(ptx::Modifier::proxy_async) || inst_->has(ptx::Modifier::bulk)) refuse();
  const Operand& source = operand(1);
  const Place place = place_of(operand(0), inst_->d.space);
  const Type type = inst_->d.type;
  const std::uint64_t size = ptx::byte_size(type);
  if (source.kind != OperandKind::vector) {
    store(place, size, read(source, type));
    return;
  }
  const std::uint64_t count = source.elements.size();
  resolve(place, size * count, Access::write);
  for (std::uint64_t i = 0; i < count; ++i)
    store({place.space, place.address + i * size}, size, read(source.elements[i], type));
}

// cp.async completes at once, so groups and waits have nothing to do.
void Executor::copy_async() {
  const auto says = [&](std::string_view text) {
    return std::any_of(inst_->modifiers.begin(), inst_->modifiers.end(),
                       [&](ptx::Modifier m) { return ptx::name(m) == text; });
  };
  if (!says("async") || says("bulk") || says("tensor")) refuse();
  // The copies before it are done: without .noinc, an arrival of which the barrier takes notice beforehand.
  if (says("mbarrier")) return inst_->has(ptx::Modifier::noinc) ? update_mbarrier() : check_mbarrier();
  if (says("commit_group") || says("wait_group") || says("wait_all")) return;
  const Place target = place_of(operand(0), Space::shared), source = place_of(operand(1), Space::global);
  const std::uint64_t size = read_word(2);
  std::uint64_t valid = size;
  if (const Operand& limit = operand(3); limit.present()) {
    const auto& registers = thread_->frame().code->function->registers;
    const bool ignores = limit.is_reg() && registers[limit.index].type == Type::pred;
    if (ignores)
      valid = read(limit, Type::pred).lo ? 0 : size;
    else
      valid = std::min(read(limit, Type::u32).lo, size);
  }
  std::byte* to = resolve(target, size, Access::write);
  std::byte bytes[16] = {};
  if (valid > 0) std::memcpy(bytes, resolve(source, valid, Access::read, size), valid);
  if (std::memcmp(to, bytes, size) == 0) return;
  std::memcpy(to, bytes, size);
  note_change(to);
}

Executor::Value Executor::combine(Type type, Value old, Value b, Value c, bool flush) const {
  const unsigned lanes = ptx::element_count(type);
  if (lanes > 1) {
    Value result;
    const Type single = ptx::element(type);
    const unsigned width = ptx::bit_width(single);
    for (unsigned i = 0; i < lanes; ++i) {
      const unsigned shift = i * width;
      const Value lane = combine(single, {semantics::truncate(single, old.lo >> shift)},
                                 {semantics::truncate(single, b.lo >> shift)}, {}, flush);
      result.lo |= lane.lo << shift;
    }
    return result;
  }
  const bool is_float = ptx::is_float(type);
  switch (inst_->d.reduce) {
    case ReduceOp::and_: return {old.lo & b.lo};
    case ReduceOp::or_: return {old.lo | b.lo};
    case ReduceOp::xor_: return {old.lo ^ b.lo};
    case ReduceOp::exch: return b;
    case ReduceOp::cas: return old == b ? c : old;
    case ReduceOp::inc: return {old.lo >= b.lo ? 0 : old.lo + 1};
    case ReduceOp::dec: return {old.lo == 0 || old.lo > b.lo ? b.lo : old.lo - 1};
    case ReduceOp::add: {
      if (!is_float) return {semantics::integer_add(type, old.lo, b.lo, false)};
      semantics::FloatMode mode;
      mode.ftz = flush;
      return {semantics::float_add(semantics::format_of(type), old.lo, b.lo, mode)};
    }
    case ReduceOp::min:
      if (is_float) return {semantics::float_min(semantics::format_of(type), old.lo, b.lo, {})};
      return {semantics::integer_min_of(type, old.lo, b.lo)};
    case ReduceOp::max:
      if (is_float) return {semantics::float_max(semantics::format_of(type), old.lo, b.lo, {})};
      return {semantics::integer_max_of(type, old.lo, b.lo)};
    default: refuse();
  }
}

void Executor::atomic(bool has_result) {
  if (inst_->has(ptx::Modifier::proxy_async)) refuse();
  const unsigned address = has_result ? 1 : 0, first = address + 1;
  const Place place = place_of(operand(address), inst_->d.space);
  const Type type = inst_->d.type;
  const std::uint64_t size = ptx::byte_size(type);
  const Operand& source = operand(first);
  const std::uint64_t count = source.kind == OperandKind::vector && size <= 8 ? source.elements.size() : 1;
  std::byte* at = resolve(place, size * count, Access::read_write);
  // The ISA: add.f32 flushes subnormals on global memory and keeps them on shared memory.
  const auto shared_base = block_->shared;
  const bool on_shared = at >= shared_base && at < shared_base + block_->shared_bytes;
  const bool flush = type == Type::f32 && !on_shared;
  std::vector<Value> old(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool vector = source.kind == OperandKind::vector && size <= 8;
    std::memcpy(&old[i], at + i * size, size);
    const Value b = read(vector ? source.elements[i] : source, type);
    const Value c = inst_->d.reduce == ReduceOp::cas ? read(operand(first + 1), type) : Value{};
    const Value result = combine(type, old[i], b, c, flush);
    if (std::memcmp(at + i * size, &result, size) == 0) continue;
    std::memcpy(at + i * size, &result, size);
    note_change(at);
  }
  if (!has_result) return;
  const Operand& target = operand(0);
  if (target.kind != OperandKind::vector)
    write(target, type, old[0]);
  else if (count == 1)
    write(target, type, old[0]);
  else
    for (std::uint64_t i = 0; i < count; ++i) write(target.elements[i], type, old[i]);
}

}  // namespace heddle::device::interp
