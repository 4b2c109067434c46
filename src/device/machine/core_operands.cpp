// Operands: registers, immediates, special registers, addresses of symbols; and what moves values between them.
#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "device/machine/core.hpp"
#include "device/machine/operand_value.hpp"
#include "ptx/semantics/convert.hpp"

namespace heddle::device::machine {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolRef;
using ptx::Type;

Core::Value Core::read(const Operand& operand, Type type) {
  const unsigned width = ptx::bit_width(type);
  std::uint64_t bits = 0;
  switch (operand.kind) {
    case OperandKind::reg: {
      const Value value = thread_->frame().registers.get(operand.index);
      if (type == Type::pred) return {(value.lo & 1) ^ (operand.negated ? 1u : 0u)};
      if (width > 64) return value;
      bits = value.lo;
      break;
    }
    case OperandKind::special: bits = special(operand.special).lo; break;
    case OperandKind::integer:
      if (width > 64) return {static_cast<std::uint64_t>(operand.value), operand.value < 0 ? ~std::uint64_t{0} : 0};
      return {immediate_value(operand, type)};
    case OperandKind::real: return {immediate_value(operand, type)};
    case OperandKind::symbol: bits = symbol_address(operand.symbol) + static_cast<std::uint64_t>(operand.value); break;
    case OperandKind::vector: {  // a packed source: elements from the lowest bits up
      const unsigned each = width / static_cast<unsigned>(operand.elements.size());
      Value value;
      unsigned at = 0;
      for (const Operand& element : operand.elements) {
        const std::uint64_t part = low_bits(read(element, type).lo, each);
        if (at >= 64)
          value.hi |= part << (at - 64);
        else
          value.lo |= part << at;
        at += each;
      }
      return value;
    }
    default: break;
  }
  return {low_bits(bits, width == 0 ? 64 : width)};
}

void Core::write(const Operand& operand, Type type, Value value) {
  if (operand.kind == OperandKind::vector) {
    const unsigned each = ptx::bit_width(type);
    for (const Operand& element : operand.elements) {
      write(element, type, value);
      value.lo = each >= 64 ? value.hi : (value.lo >> each) | (value.hi << (64 - each));
      value.hi = each >= 64 ? 0 : value.hi >> each;
    }
    return;
  }
  if (operand.kind != OperandKind::reg) return;  // a sink
  Frame& frame = thread_->frame();
  const unsigned width = ptx::bit_width(frame.code->function->registers[operand.index].type);
  if (ptx::bit_width(type) <= 64) {
    value.lo = low_bits(ptx::semantics::extend(type, value.lo), width);
    value.hi = 0;
  }
  frame.registers.set(operand.index, value);
}

const ptx::Variable& Core::variable_of(const SymbolRef& symbol) const {
  const ptx::Function& function = *thread_->frame().code->function;
  switch (symbol.kind) {
    case SymbolRef::Kind::module_variable: return grid_.kernel.program().ptx().variables[symbol.index];
    case SymbolRef::Kind::local_variable: return function.variables[symbol.index];
    case SymbolRef::Kind::parameter: return function.parameters[symbol.index];
    default: return function.returns[symbol.index];
  }
}

std::uint64_t Core::symbol_address(const SymbolRef& symbol) {
  const Frame& frame = thread_->frame();
  const Code& code = *frame.code;
  const Program& program = grid_.kernel.program();
  switch (symbol.kind) {
    case SymbolRef::Kind::function: return reinterpret_cast<std::uint64_t>(&program.code(symbol.index));
    case SymbolRef::Kind::module_variable:
      if (variable_of(symbol).space == Space::shared) return grid_.kernel.shared().module_variables[symbol.index];
      return program.variable_address(symbol.index);
    case SymbolRef::Kind::local_variable:
      if (variable_of(symbol).space == Space::shared)
        return grid_.kernel.shared().function_variables[code.index][symbol.index];
      if (code.static_addresses[symbol.index]) return code.static_addresses[symbol.index];
      return frame.base + code.frame.variables[symbol.index];
    case SymbolRef::Kind::parameter:
      if (code.function->is_entry)
        return reinterpret_cast<std::uint64_t>(grid_.parameters()) + grid_.kernel.parameters()[symbol.index].offset;
      return frame.base + code.frame.parameters[symbol.index];
    case SymbolRef::Kind::return_parameter: return frame.base + code.frame.returns[symbol.index];
  }
  return 0;
}

Core::Value Core::special(ptx::SpecialRegister which) {
  using S = ptx::SpecialRegister;
  const Dim3 &tid = thread_->index, &ntid = grid_.config.block, &ctaid = block_->index, &nctaid = grid_.config.grid;
  const std::uint32_t lane = thread_->lane(), bit = 1u << lane;
  const std::uint64_t shared = block_->shared_bytes;
  const std::uint64_t workspace = grid_.workspace();
  const auto clock = [&] { return site_.cycle ? *site_.cycle : instructions_; };
  const auto now = [&] {
    if (!site_.cycle) return machine_.clock.now_ns();
    return static_cast<std::uint64_t>(static_cast<double>(*site_.cycle) * site_.cycle_ns);
  };
  switch (which) {
    case S::tid_x: return {tid.x};
    case S::tid_y: return {tid.y};
    case S::tid_z: return {tid.z};
    case S::ntid_x: return {ntid.x};
    case S::ntid_y: return {ntid.y};
    case S::ntid_z: return {ntid.z};
    case S::ctaid_x:
    case S::clusterid_x: return {ctaid.x};
    case S::ctaid_y:
    case S::clusterid_y: return {ctaid.y};
    case S::ctaid_z:
    case S::clusterid_z: return {ctaid.z};
    case S::nctaid_x:
    case S::nclusterid_x: return {nctaid.x};
    case S::nctaid_y:
    case S::nclusterid_y: return {nctaid.y};
    case S::nctaid_z:
    case S::nclusterid_z: return {nctaid.z};
    case S::laneid: return {lane};
    case S::warpid: return {thread_->linear / warp_size};
    case S::nwarpid: return {site_.warps};
    case S::smid: return {site_.processor};
    case S::nsmid: return {site_.processors};
    case S::warpsize: return {warp_size};
    case S::gridid: return {grid_.grid_id};
    case S::lanemask_eq: return {bit};
    case S::lanemask_le: return {bit | (bit - 1)};
    case S::lanemask_lt: return {bit - 1};
    case S::lanemask_ge: return {~(bit - 1)};
    case S::lanemask_gt: return {~(bit | (bit - 1))};
    case S::clock: return {clock() & 0xffffffff};
    case S::clock_hi: return {clock() >> 32};
    case S::clock64: return {clock()};
    case S::globaltimer: return {now()};
    case S::globaltimer_lo: return {now() & 0xffffffff};
    case S::globaltimer_hi: return {now() >> 32};
    case S::total_smem_size:
    case S::aggr_smem_size: return {shared};
    case S::envreg1: return {workspace >> 32};
    case S::envreg2: return {workspace & 0xffffffff};
    case S::dynamic_smem_size: return {grid_.config.dynamic_shared_bytes};
    case S::cluster_nctaid_x:
    case S::cluster_nctaid_y:
    case S::cluster_nctaid_z:
    case S::cluster_nctarank: return {1};
    default: return {0};  // places in a cluster of one, performance counters, %envreg
  }
}

void Core::evaluate() {
  std::array<ptx::semantics::Argument, 8> uses;
  unsigned count = 0;
  for (unsigned i = 0; i < op_->slots.size; ++i) {
    const ptx::Role role = op_->slots[i].role;
    if (role == ptx::Role::def) continue;
    uses[count].present = operand(i).present();
    if (uses[count].present) uses[count].value = read(i);
    ++count;
  }
  const auto results = ptx::semantics::evaluate(*inst_, std::span(uses.data(), count), thread_->frame().carry);
  unsigned result = 0;
  for (unsigned i = 0; i < op_->slots.size; ++i)
    if (op_->slots[i].role == ptx::Role::def || op_->slots[i].role == ptx::Role::def_use) {
      if (operand(i).present()) write(i, results[result]);
      ++result;
    }
}

void Core::move() {
  // Packed operands are as wide as the instruction's type; their slots have the element's.
  const Type whole = inst_->d.type;
  const Operand& source = operand(1);
  const Type read_type = source.kind == OperandKind::vector || slot_type(1) == Type::none ? whole : slot_type(1);
  const Value value = read(source, read_type);
  if (operand(0).kind != OperandKind::vector) {
    write(operand(0), whole, value);
    return;
  }
  const unsigned each = ptx::bit_width(whole) / static_cast<unsigned>(operand(0).elements.size());
  const Type part = each == 64 ? Type::b64 : each == 32 ? Type::b32 : each == 16 ? Type::b16 : Type::b8;
  write(operand(0), part, value);
}

void Core::convert_address() {
  const Space space = inst_->d.space;
  std::uint64_t address = read_word(1);
  const auto window = [&]() -> std::uint64_t {
    if (space == Space::shared) return reinterpret_cast<std::uint64_t>(block_->shared);
    // Parameters of functions other than kernels live in the thread's local memory.
    const bool in_frame = space == Space::param && !thread_->frame().code->function->is_entry;
    if (space == Space::local || in_frame) return reinterpret_cast<std::uint64_t>(local_memory(0, 0));
    return 0;
  };
  address = inst_->d.to ? address - window() : address + window();
  write(0, {address});
}

void Core::is_space() {
  const std::uint64_t address = read_word(1);
  const auto inside = [&](const std::byte* begin, std::uint64_t bytes) {
    const auto base = reinterpret_cast<std::uint64_t>(begin);
    return begin && address >= base && address - base < bytes;
  };
  const bool shared = inside(block_->shared, block_->shared_bytes);
  const bool local = inside(thread_->local(), thread_->local_bytes());
  const bool param = inside(grid_.parameters(), grid_.kernel.parameter_bytes());
  const auto holder = machine_.memory.holder(address, 1);
  const bool constant = holder && holder->kind == Allocation::Kind::constant;
  bool result = false;
  switch (inst_->d.space) {
    case Space::shared: result = shared; break;
    case Space::local: result = local; break;
    case Space::param: result = param; break;
    case Space::constant: result = constant; break;
    default: result = !shared && !local && !param && !constant; break;
  }
  write(0, {result});
}

void Core::allocate_stack() {
  Frame& frame = thread_->frame();
  const std::uint64_t alignment = operand(2).present() ? static_cast<std::uint64_t>(operand(2).value) : 8;
  const std::uint64_t at = align_up(frame.top, alignment);
  const std::uint64_t bytes = read_word(1);
  local_memory(at, bytes);
  frame.top = static_cast<std::uint32_t>(align_up(at + bytes, FrameLayout::alignment));
  write(0, {at});
}

// What lies behind every window stays behind it.
void Core::restore_stack() {
  thread_->frame().top = static_cast<std::uint32_t>(std::min<std::uint64_t>(read_word(0), 0xffffffff));
}

}  // namespace heddle::device::machine
