// Loads, stores and atomics. Every access passes resolve(), which checks it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "device/fault_text.hpp"
#include "device/footprint.hpp"
#include "device/machine/core.hpp"
#include "ptx/matrix.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/semantics/integer.hpp"

namespace heddle::device::machine {

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

}  // namespace

std::byte* Core::local_memory(std::uint64_t offset, std::uint64_t size) {
  Thread& thread = *thread_;
  if (!thread.local_memory) {
    thread.local_memory = std::make_unique<LocalMemory>();
    LocalMemory& made = *thread.local_memory;
    const Options& options = machine_.options;
    const Code& entry = *thread.frames.front().code;
    made.bytes = align_up(entry.frame.bytes + (entry.uses_stack ? options.stack_bytes : 0), 16) + 16;
    const auto fill = static_cast<std::byte>(options.poison ? options.poison_byte : 0);
    made.storage.assign(made.bytes + window_alignment, fill);
    made.window =
        reinterpret_cast<std::byte*>(align_up(reinterpret_cast<std::uint64_t>(made.storage.data()), window_alignment));
  }
  const LocalMemory& local = *thread.local_memory;
  if (offset > local.bytes || size > local.bytes - offset) {
    fault(fmt::format("stack overflow: recursion or local memory needs more than the {} of stack that a thread has",
                      base::format_bytes(local.bytes)));
  }
  return local.window + offset;
}

void Core::bad_access(Place place, std::uint64_t size, Access access, const std::string& why) const {
  bad_access(place, size, access, why, *thread_);
}

void Core::bad_access(Place place, std::uint64_t size, Access access, const std::string& why,
                      const Thread& thread) const {
  fault(fmt::format("cannot {} {} at {:#x} of {} memory: {}",
                    access == Access::read    ? "read"
                    : access == Access::write ? "write"
                                              : "read and write",
                    base::counted(size, "byte"), place.address, space_name(place.space), why),
        place.address % size != 0 ? KernelFault::misaligned : KernelFault::memory_access, thread.index);
}

Core::Resolved Core::resolve(Place place, std::uint64_t size, Access access, std::uint64_t alignment) {
  const std::uint64_t address = place.address;
  if (address % alignment != 0)
    bad_access(place, alignment, access, fmt::format("misaligned, the address is not a multiple of {}", alignment));
  const auto within = [&](std::uint64_t base, std::uint64_t bytes) {
    return address >= base && address - base <= bytes && size <= bytes - (address - base);
  };
  if (place.space == Space::shared) {
    if (within(0, block_->shared_bytes)) return {block_->shared + address, place};
    bad_access(place, size, access,
               fmt::format("the block's shared memory has {}{}", base::counted(block_->shared_bytes, "byte"),
                           dynamic_shared_hint(grid_.kernel.program().ptx(), grid_.kernel.ptx(),
                                               grid_.config.dynamic_shared_bytes)));
  }
  if (place.space == Space::local) {
    if (within(0, thread_->frame().top)) return {local_memory(address, size), place};
    bad_access(place, size, access,
               fmt::format("the thread's local variables take {}", base::counted(thread_->frame().top, "byte")));
  }
  if (place.space == Space::param || place.space == Space::generic) {
    auto* const at = reinterpret_cast<std::byte*>(address);
    const auto parameters = reinterpret_cast<std::uint64_t>(grid_.parameters());
    if (within(parameters, grid_.kernel.parameter_bytes())) {
      if (access == Access::read) return {at, {Space::param, address - parameters}};
      bad_access(place, size, access, "kernel parameters cannot be written");
    }
    const auto shared = reinterpret_cast<std::uint64_t>(block_->shared);
    if (within(shared, block_->shared_bytes)) return {at, {Space::shared, address - shared}};
    const auto local = reinterpret_cast<std::uint64_t>(thread_->local());
    if (local != 0 && within(local, thread_->frame().top)) return {at, {Space::local, address - local}};
  }
  return resolve_allocation(place, size, access);
}

Core::Resolved Core::resolve_allocation(Place place, std::uint64_t size, Access access) {
  const std::uint64_t address = place.address;
  const AddressMap::Holder* const holder = holder_of(address, size);
  if (!holder) bad_access(place, size, access, machine_.memory.describe_nearest(address));
  const auto named = [&] { return describe(machine_.memory.find(address, size).value()); };
  const Footprint::Access touched{address, size, access != Access::write, access != Access::read};
  if (holder->guarded && grid_.footprint != nullptr && !grid_.footprint->allows(touched))
    bad_access(place, size, access, "it is " + grid_.footprint->describe(touched, holder->address, holder->size));
  const bool constant = holder->kind == Allocation::Kind::constant;
  if (constant && access != Access::read) bad_access(place, size, access, named() + " cannot be written");
  if (place.space == Space::constant && !constant) bad_access(place, size, access, named() + " is not constant memory");
  return {reinterpret_cast<std::byte*>(address),
          {constant ? Space::constant : Space::global, address + holder->to_model()}};
}

Core::Place Core::place_of(const Operand& operand, Space space) {
  const auto offset = static_cast<std::uint64_t>(operand.value);
  if (operand.base == OperandKind::reg) {
    const ptx::Register& reg = thread_->frame().code->function->registers[operand.index];
    std::uint64_t base = thread_->frame().registers.low(operand.index);
    // Offsets in the windows may be kept in 32 bits; then the sum is one of 32 bits too.
    const std::uint64_t address = ptx::bit_width(reg.type) == 32 ? (base + offset) & 0xffffffff : base + offset;
    // A function's parameters are in its frame; what a register holds otherwise is the address of a kernel's.
    const bool in_frame = space == Space::param && !thread_->frame().code->function->is_entry;
    return {in_frame && address < thread_->frame().top ? Space::local : space, address};
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

Core::Value Core::load(Place place, std::uint64_t size) {
  Value value;
  std::memcpy(&value, resolve(place, size, Access::read).at, size);
  return value;
}

void Core::store(std::byte* at, std::uint64_t size, const void* bytes) {
  if (std::memcmp(at, bytes, size) == 0) return;
  std::memcpy(at, bytes, size);
  LocalMemory* const local = thread_->local_memory.get();
  if (local && at >= local->window && at < local->window + local->bytes) {
    ++local->epoch;
  } else {
    ++memory_epoch_;
  }
}

void Core::note_access(const Resolved& where, std::uint64_t size, AccessKind kind) {
  effects_->add({where.place.address, static_cast<std::uint32_t>(size), where.place.space, kind,
                 static_cast<std::uint8_t>(lane_)});
}

// Of an access that is a part of one of ldmatrix or stmatrix. The fault is that of the lane that gave the address.
void Core::check_matrix_row(Place place, Access access) const {
  const unsigned lane = thread_->lane();
  const std::optional<unsigned> offset = ptx::offset_in_row(inst_->d.matrix, lane);
  if (!offset || (place.address - *offset) % ptx::matrix_row_bytes == 0) return;
  const unsigned giver = ptx::lane_of_row(inst_->d.matrix, inst_->d.first_row, lane);
  // One that does not exist has no value of its own to give.
  const std::uint32_t thread = thread_->linear - lane + giver;
  bad_access({place.space, place.address - *offset}, ptx::matrix_row_bytes, access,
             fmt::format("misaligned, a row of a matrix begins at a multiple of {}", ptx::matrix_row_bytes),
             thread < block_->threads.size() ? block_->threads[thread] : *thread_);
}

void Core::load_instruction() {
  const Operand& target = operand(0);
  const std::uint64_t size = op_->element_bytes, count = op_->elements;
  const Place place = place_of(operand(1), op_->space);
  check_matrix_row(place, Access::read);
  const Resolved from = resolve(place, size * count, Access::read);
  note_access(from, size * count, AccessKind::load);
  const Type type = inst_->d.type;
  Value values[Operation::most_elements];  // all are read before any is written: one of them may be the address
  for (std::uint64_t i = 0; i < count; ++i) std::memcpy(&values[i], from.at + i * size, size);
  if (target.kind != OperandKind::vector) return write(target, type, values[0]);
  for (std::uint64_t i = 0; i < count; ++i) write(target.elements[i], type, values[i]);
}

void Core::store_instruction() {
  const Operand& source = operand(1);
  const std::uint64_t size = op_->element_bytes, count = op_->elements;
  const Place place = place_of(operand(0), op_->space);
  check_matrix_row(place, Access::write);
  const Resolved to = resolve(place, size * count, Access::write);
  note_access(to, size * count, AccessKind::store);
  const Type type = inst_->d.type;
  const bool vector = source.kind == OperandKind::vector;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Value value = read(vector ? source.elements[i] : source, type);
    store(to.at + i * size, size, &value);
  }
}

void Core::copy_async() {
  const Place target = place_of(operand(0), Space::shared), source = place_of(operand(1), Space::global);
  const std::uint64_t size = read_word(2);
  std::uint64_t valid = size;
  if (const Operand& limit = operand(3); limit.present()) {
    const bool ignores = limit.is_reg() && function_->registers[limit.index].type == Type::pred;
    if (ignores)
      valid = read(limit, Type::pred).lo ? 0 : size;
    else
      valid = std::min(read(limit, Type::u32).lo, size);
  }
  const Resolved to = resolve(target, size, Access::write);
  std::byte bytes[16] = {};
  if (valid > 0) {
    const Resolved from = resolve(source, valid, Access::read, size);
    note_access(from, valid, AccessKind::load);
    std::memcpy(bytes, from.at, valid);
  }
  note_access(to, size, AccessKind::store);
  store(to.at, size, bytes);
}

Core::Value Core::combine(Type type, Value old, Value b, Value c, bool flush) const {
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

void Core::atomic(bool has_result) {
  const unsigned address = has_result ? 1 : 0, first = address + 1;
  const Type type = inst_->d.type;
  const std::uint64_t size = op_->element_bytes, count = op_->elements;
  const Operand& source = operand(first);
  const Resolved to = resolve(place_of(operand(address), op_->space), size * count, Access::read_write);
  note_access(to, size * count, AccessKind::atomic);
  // The ISA: add.f32 flushes subnormals on global memory and keeps them on shared memory.
  const bool flush = type == Type::f32 && to.place.space != Space::shared;
  const bool vector = source.kind == OperandKind::vector && size <= 8;
  Value old[Operation::most_elements];
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(&old[i], to.at + i * size, size);
    const Value b = read(vector ? source.elements[i] : source, type);
    const Value c = inst_->d.reduce == ReduceOp::cas ? read(operand(first + 1), type) : Value{};
    const Value result = combine(type, old[i], b, c, flush);
    store(to.at + i * size, size, &result);
  }
  if (!has_result) return;
  const Operand& target = operand(0);
  if (target.kind != OperandKind::vector || count == 1)
    write(target, type, old[0]);
  else
    for (std::uint64_t i = 0; i < count; ++i) write(target.elements[i], type, old[i]);
}

}  // namespace heddle::device::machine
