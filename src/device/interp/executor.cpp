#include "device/interp/executor.hpp"

#include <bit>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "device/fault_text.hpp"
#include "ptx/semantics/convert.hpp"

namespace heddle::device::interp {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolRef;
using ptx::Type;

namespace {

constexpr std::uint32_t warp_size = 32;
constexpr std::uint32_t warps_per_processor = 64;

std::string coordinates(const Dim3& d) { return base::format_triple(d.x, d.y, d.z); }

std::string source_of(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& inst) {
  const std::string text = source_place(module, function, inst.where.loc);
  return text.empty() ? text : " (" + text + ")";
}

std::uint64_t low_bits(std::uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

Involves involves(const ptx::Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::activemask: return Involves::gathering;
    case Opcode::shfl:
    case Opcode::vote: return inst.has(ptx::Modifier::sync) ? Involves::meeting : Involves::gathering;
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect: return Involves::meeting;
    case Opcode::bar: return inst.has(ptx::Modifier::warp) ? Involves::meeting : Involves::barrier;
    case Opcode::barrier: return inst.has(ptx::Modifier::cluster) ? Involves::nobody : Involves::barrier;
    default: return Involves::nobody;
  }
}

std::string Executor::place(const Block& block, const Thread& thread) const {
  const Frame& frame = thread.frame();
  const ptx::Function& function = *frame.code->function;
  std::string text = fmt::format("kernel '{}', block {}, thread {}", launch_.function.ptx().name,
                                 coordinates(block.index), coordinates(thread.index));
  if (!function.is_entry) text += fmt::format(", in function '{}'", function.name);
  const ptx::Module& module = launch_.function.module().ptx();
  if (const ptx::Instruction* inst = thread.instruction())
    text += fmt::format(", PTX line {}{}", inst->where.line, source_of(module, function, *inst));
  if (thread.frames.size() < 2) return text;
  const Frame& caller = thread.frames[thread.frames.size() - 2];  // goes on behind the call
  const ptx::Function& calling = *caller.code->function;
  const ptx::Instruction& call = calling.body[caller.pc - 1];
  return text + fmt::format(", called at PTX line {}{}", call.where.line, source_of(module, calling, call));
}

void Executor::fault(const std::string& what, KernelFault kind) const {
  throw Error(kind, place(*block_, *thread_) + ": " + what);
}

void Executor::refuse() const {
  std::string text{ptx::name(inst_->opcode)};
  for (ptx::Modifier m : inst_->modifiers) text += "." + std::string(ptx::name(m));
  base::fail(ErrorCode::unsupported, "{}: the interpreter does not execute '{}'", place(*block_, *thread_), text);
}

void Executor::enter(Block& block, Thread& thread) {
  block_ = &block;
  thread_ = &thread;
  inst_ = thread.instruction();
  code_ = thread.frame().code;
  slots_ = inst_ ? &code_->slots[thread.frame().pc] : nullptr;
}

bool Executor::guard_holds(Block& block, Thread& thread) {
  enter(block, thread);
  if (!inst_ || !inst_->guard.present) return true;
  const bool value = thread.frame().registers[inst_->guard.reg].lo & 1;
  if (value != inst_->guard.negated) return true;
  ++thread.frame().pc;
  return false;
}

void Executor::step(Block& block, Thread& thread) {
  ++launch_.instructions;
  if (!guard_holds(block, thread)) return;
  if (!inst_) {  // the end of the text is a return
    return_from_function();
    return;
  }
  jumped_ = false;
  const std::size_t depth = thread.frames.size();
  run_instruction();
  report(block, thread, depth);
  if (!jumped_ && thread.state != ThreadState::exited && thread.frames.size() == depth) ++thread.frame().pc;
}

// `depth`: of the thread's calls before it.
void Executor::report(const Block& block, const Thread& thread, std::size_t depth) const {
  const auto& step = launch_.state.options.step;
  if (!step || !inst_) return;
  std::span<const Value> registers;
  if (thread.frames.size() >= depth) registers = thread.frames[depth - 1].registers;
  step({block.index, thread.linear, depth, *code_->function, *inst_, registers});
}

Executor::Value Executor::read(const Operand& operand, Type type) {
  const unsigned width = ptx::bit_width(type);
  std::uint64_t bits = 0;
  switch (operand.kind) {
    case OperandKind::reg: {
      const Value value = thread_->frame().registers[operand.index];
      if (type == Type::pred) return {(value.lo & 1) ^ (operand.negated ? 1u : 0u)};
      if (width > 64) return value;
      bits = value.lo;
      break;
    }
    case OperandKind::special: bits = special(operand.special).lo; break;
    case OperandKind::integer:
      if (type == Type::pred) return {(operand.value != 0) != operand.negated};
      if (width > 64) return {static_cast<std::uint64_t>(operand.value), operand.value < 0 ? ~std::uint64_t{0} : 0};
      bits = static_cast<std::uint64_t>(operand.value);
      break;
    case OperandKind::real: {
      bits = static_cast<std::uint64_t>(operand.value);
      const bool single = operand.real_type == Type::f32;
      if (ptx::is_float(type) && ptx::element_count(type) == 1) {
        bits = ptx::semantics::convert(type, single ? Type::f32 : Type::f64, bits, {});
      } else if (!single && width == 32) {
        bits = ptx::semantics::convert(Type::f32, Type::f64, bits, {});
      }
      break;
    }
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

void Executor::write(const Operand& operand, Type type, Value value) {
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
  frame.registers[operand.index] = value;
}

const ptx::Variable& Executor::variable_of(const SymbolRef& symbol) const {
  const ptx::Function& function = *thread_->frame().code->function;
  switch (symbol.kind) {
    case SymbolRef::Kind::module_variable: return launch_.function.module().ptx().variables[symbol.index];
    case SymbolRef::Kind::local_variable: return function.variables[symbol.index];
    case SymbolRef::Kind::parameter: return function.parameters[symbol.index];
    default: return function.returns[symbol.index];
  }
}

std::uint64_t Executor::symbol_address(const SymbolRef& symbol) {
  const Frame& frame = thread_->frame();
  const Code& code = *frame.code;
  switch (symbol.kind) {
    case SymbolRef::Kind::function:
      return reinterpret_cast<std::uint64_t>(&launch_.function.module().code(symbol.index));
    case SymbolRef::Kind::module_variable:
      if (variable_of(symbol).space == Space::shared) return launch_.function.shared().module_variables[symbol.index];
      return launch_.function.module().variable_address(symbol.index);
    case SymbolRef::Kind::local_variable:
      if (variable_of(symbol).space == Space::shared)
        return launch_.function.shared().function_variables[code.index][symbol.index];
      if (code.static_addresses[symbol.index]) return code.static_addresses[symbol.index];
      return frame.base + code.frame.variables[symbol.index];
    case SymbolRef::Kind::parameter:
      if (code.function->is_entry)
        return reinterpret_cast<std::uint64_t>(launch_.parameter_data) +
               launch_.function.parameters()[symbol.index].offset;
      return frame.base + code.frame.parameters[symbol.index];
    case SymbolRef::Kind::return_parameter: return frame.base + code.frame.returns[symbol.index];
  }
  return 0;
}

Executor::Value Executor::special(ptx::SpecialRegister which) {
  using S = ptx::SpecialRegister;
  const Dim3 &tid = thread_->index, &ntid = launch_.config.block, &ctaid = block_->index, &nctaid = launch_.config.grid;
  const std::uint32_t lane = thread_->lane(), bit = 1u << lane;
  const std::uint64_t now = launch_.state.clock().now_ns();
  const std::uint64_t shared = block_->shared_bytes;
  const std::uint64_t workspace =
      launch_.config.cooperative ? reinterpret_cast<std::uint64_t>(launch_.grid_workspace.data()) : 0;
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
    case S::nwarpid: return {warps_per_processor};
    case S::nsmid: return {1};
    case S::warpsize: return {warp_size};
    case S::gridid: return {launch_.grid_id};
    case S::lanemask_eq: return {bit};
    case S::lanemask_le: return {bit | (bit - 1)};
    case S::lanemask_lt: return {bit - 1};
    case S::lanemask_ge: return {~(bit - 1)};
    case S::lanemask_gt: return {~(bit | (bit - 1))};
    case S::clock: return {launch_.instructions & 0xffffffff};
    case S::clock_hi: return {launch_.instructions >> 32};
    case S::clock64: return {launch_.instructions};
    case S::globaltimer: return {now};
    case S::globaltimer_lo: return {now & 0xffffffff};
    case S::globaltimer_hi: return {now >> 32};
    case S::total_smem_size:
    case S::aggr_smem_size: return {shared};
    case S::envreg1: return {workspace >> 32};
    case S::envreg2: return {workspace & 0xffffffff};
    case S::dynamic_smem_size: return {launch_.config.dynamic_shared_bytes};
    case S::cluster_nctaid_x:
    case S::cluster_nctaid_y:
    case S::cluster_nctaid_z:
    case S::cluster_nctarank: return {1};
    default: return {0};  // %smid, places in a cluster of one, performance counters, %envreg
  }
}

void Executor::evaluate() {
  std::array<ptx::semantics::Argument, 8> uses;
  unsigned count = 0;
  for (unsigned i = 0; i < slots_->size; ++i) {
    const ptx::Role role = (*slots_)[i].role;
    if (role == ptx::Role::def) continue;
    uses[count].present = operand(i).present();
    if (uses[count].present) uses[count].value = read(i);
    ++count;
  }
  const auto results = ptx::semantics::evaluate(*inst_, std::span(uses.data(), count), thread_->frame().carry);
  unsigned result = 0;
  for (unsigned i = 0; i < slots_->size; ++i)
    if ((*slots_)[i].role == ptx::Role::def || (*slots_)[i].role == ptx::Role::def_use) {
      if (operand(i).present()) write(i, results[result]);
      ++result;
    }
}

void Executor::move() {
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

void Executor::convert_address() {
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

void Executor::is_space() {
  const std::uint64_t address = read_word(1);
  const auto inside = [&](const std::byte* begin, std::uint64_t bytes) {
    const auto base = reinterpret_cast<std::uint64_t>(begin);
    return begin && address >= base && address - base < bytes;
  };
  const bool shared = inside(block_->shared, block_->shared_bytes);
  const bool local = inside(thread_->local.get(), thread_->local_bytes);
  const bool param = inside(launch_.parameter_data, launch_.function.parameter_bytes());
  const auto allocation = launch_.state.memory.find(address, 1);
  const bool constant = allocation && allocation->kind == Allocation::Kind::constant;
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

void Executor::run_instruction() {
  switch (inst_->opcode) {
    case Opcode::mov: return move();
    case Opcode::cvta: return convert_address();
    case Opcode::isspacep: return is_space();
    case Opcode::ld:
    case Opcode::ldu: return load_instruction();
    case Opcode::st: return store_instruction();
    case Opcode::atom: return atomic(true);
    case Opcode::red: return atomic(false);
    case Opcode::cp: return copy_async();
    case Opcode::mbarrier: return mbarrier_instruction();
    case Opcode::bra: return branch(operand(0).index);
    case Opcode::brx: return indexed_branch();
    case Opcode::call: return call();
    case Opcode::ret: return return_from_function();
    case Opcode::exit: return exit_thread();
    case Opcode::trap: fault("the kernel executed trap", KernelFault::trap);
    case Opcode::nanosleep: yielded_ = true; return;
    // Nothing to do: every access is seen by all at once, and caches do not exist.
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::pmevent:
    case Opcode::brkpt:
    case Opcode::setmaxnreg:
    case Opcode::griddepcontrol: return;
    case Opcode::createpolicy: write(0, {0}); return;
    case Opcode::mapa: write(0, read(1)); return;  // a cluster of one block
    case Opcode::getctarank: write(0, {0}); return;
    case Opcode::barrier: return;  // barrier.cluster in a cluster of one
    case Opcode::alloca: {
      Frame& frame = thread_->frame();
      const std::uint64_t alignment = operand(2).present() ? static_cast<std::uint64_t>(operand(2).value) : 8;
      const std::uint64_t at = align_up(frame.top, alignment);
      const std::uint64_t bytes = read_word(1);
      local_memory(at, bytes);
      frame.top = align_up(at + bytes, FrameLayout::alignment);
      write(0, {at});
      return;
    }
    case Opcode::stacksave: write(0, {thread_->frame().top}); return;
    case Opcode::stackrestore: thread_->frame().top = read_word(0); return;
    default: break;
  }
  if (!ptx::semantics::evaluates(inst_->opcode)) refuse();
  evaluate();
}

}  // namespace heddle::device::interp
