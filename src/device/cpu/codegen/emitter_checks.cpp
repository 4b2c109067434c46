#include "device/cpu/codegen/emitter_checks.hpp"

#include <algorithm>

#include <llvm/IR/Constants.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void CheckCalls::check_access(const ptx::Instruction& inst, const ptx::Operand& operand, Space space, unsigned bytes,
                              std::uint32_t access, Value* mask, Value* sizes, Value* values) {
  if (space == Space::param && function_.is_entry && operand.base == OperandKind::symbol)
    return;  // checked by the verifier
  if (operand.base == OperandKind::symbol && operand.symbol.kind == ptx::SymbolRef::Kind::local_variable &&
      function_.variables[operand.symbol.index].space == Space::param)
    return;
  const bool recorded = (kernel_.checks.race || kernel_.checks.init) && space != Space::local &&
                        space != Space::param && space != Space::constant;
  const std::uint32_t marks = recorded ? access | marks_of(inst, bytes) : 0;
  const auto check = [&](std::uint64_t site) {
    if (kernel_.checks.memory) verify(inst, operand, space, bytes, access, mask, sizes);
    if (recorded) record(inst, operand, space, bytes, marks, mask, sizes, values, site);
  };
  constexpr std::uint64_t no_site = packed_site(KnownRanges::no_site, 0);
  if (!recorded || sizes != nullptr || !may_be_exempt(space, marks)) return check(no_site);
  const RangeTests::Test test = ranges_.test(RangeTests::Question::is_exempt, operand, space, bytes, mask);
  if (!test.passes) return check(no_site);
  branches_.either_way(
      test.passes, [] { return nullptr; },
      [&]() -> Value* {
        check(packed_site(space == Space::shared ? 0 : test.site, test.span));
        return nullptr;
      });
}

// Shared memory: what cannot conflict with other accesses (ptx/analysis/waiting/barrier_intervals.hpp). Global memory:
// weak reads. Where races are not looked for, all accesses, once the bytes are written.
bool CheckCalls::may_be_exempt(Space space, std::uint32_t marks) const {
  if (!kernel_.checks.race) return true;
  if (space == Space::shared) return !facts_.conflict_free.empty() && facts_.conflict_free[context_.index];
  return (marks & (CheckedAccess::writes | CheckedAccess::strong | CheckedAccess::acquires)) == 0;
}

llvm::Value* CheckCalls::spilled_addresses(const ptx::Operand& operand, Space space) {
  auto* places = entry_alloca(llvm::ArrayType::get(kernel_.abi.i64, lanes()), "checked");
  Value* addresses = nullptr;
  const auto as_wide = [&](Value* value) {
    llvm::Type* wide = value->getType()->isVectorTy() ? vector_of(kernel_.abi.i64) : kernel_.abi.i64;
    if (value->getType()->getScalarSizeInBits() == 64) return value;
    return spaces_.window_base(space) ? b_.CreateSExt(value, wide) : b_.CreateZExt(value, wide);
  };
  if (operand.base == OperandKind::reg) {
    addresses =
        lanes() == 1 ? as_wide(registers_.read(operand.index)) : as_wide(registers_.register_vector(operand.index));
  } else if (operand.base == OperandKind::symbol) {
    addresses = splat(spaces_.symbol_address(operand.symbol, 0));
  } else {
    addresses = splat(b_.getInt64(0));
  }
  Value* offset = b_.getInt64(static_cast<std::uint64_t>(operand.value));
  addresses = b_.CreateAdd(addresses, lanes() == 1 ? offset : splat(offset));
  b_.CreateAlignedStore(addresses, places, llvm::Align(8));  // the array's alignment, not the vector's
  return places;
}

void CheckCalls::verify(const ptx::Instruction& inst, const ptx::Operand& operand, Space space, unsigned bytes,
                        std::uint32_t access, Value* mask, Value* sizes) {
  const RangeTests::Test test = ranges_.test(RangeTests::Question::is_right, operand, space, bytes, mask);
  const auto ask = [&]() -> Value* {
    const std::uint64_t window = space == Space::local ? facts_.memory.used_bytes : 0;
    Value* const places = spilled_addresses(operand, space);
    Value* const none = llvm::ConstantPointerNull::get(kernel_.abi.pointer);
    runtime_.note_line(inst);
    llvm::CallInst* call = b_.CreateCall(
        slow_check(), {inputs_.warp, places, sizes ? sizes : none, active_bits(mask), b_.getInt32(bytes),
                       b_.getInt32(static_cast<std::uint32_t>(space)), b_.getInt32(access), b_.getInt64(window),
                       b_.getInt32(test.site), b_.getInt32(test.span),
                       runtime_.field(runtime_.table(), offsetof(RuntimeTable, check), kernel_.abi.pointer)});
    call->addFnAttr(llvm::Attribute::get(kernel_.llvm, "no_caller_saved_registers"));
    return nullptr;
  };
  if (test.passes)
    branches_.either_way(test.passes, [] { return nullptr; }, ask);
  else
    ask();
}

// void slow_check(arguments of RuntimeTable::check, ptr check): keeps all registers of its caller, so that the rarely
// taken call costs the usual path nothing.
llvm::Function* CheckCalls::slow_check() {
  if (llvm::Function* known = kernel_.module.getFunction("slow_check")) return known;
  auto* pointer = kernel_.abi.pointer;
  auto *i32 = kernel_.abi.i32, *i64 = kernel_.abi.i64;
  std::vector<llvm::Type*> types = {pointer, pointer, pointer, i32, i32, i32, i32, i64, i32, i32};
  auto* called = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  types.push_back(pointer);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                          llvm::Function::InternalLinkage, "slow_check", kernel_.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("no_caller_saved_registers");
  function->addFnAttr("target-cpu", context_.function->getFnAttribute("target-cpu").getValueAsString());
  // vzeroupper would come after the registers are as they were.
  const auto features = context_.function->getFnAttribute("target-features").getValueAsString();
  function->addFnAttr("target-features", (features + ",-vzeroupper").str());
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(kernel_.llvm, "entry", function));
  std::vector<Value*> arguments;
  for (unsigned i = 0; i + 1 < types.size(); ++i) arguments.push_back(function->getArg(i));
  b.CreateCall(called, function->getArg(static_cast<unsigned>(types.size()) - 1), arguments);
  b.CreateRetVoid();
  return function;
}

void CheckCalls::record(const ptx::Instruction& inst, const ptx::Operand& operand, Space space, unsigned bytes,
                        std::uint32_t marks, Value* mask, Value* sizes, Value* values, std::uint64_t site) {
  Value* const none = llvm::ConstantPointerNull::get(kernel_.abi.pointer);
  // values, mask, size, space, access
  const std::vector<Value*> common = {values ? values : none, active_bits(mask), b_.getInt32(bytes),
                                      b_.getInt32(static_cast<std::uint32_t>(space)), b_.getInt32(marks)};
  runtime_.note_line(inst);
  const std::optional<Run> run = sizes ? std::nullopt : run_of(operand, space, bytes);
  if (!run) return record_all(operand, space, sizes, common, site);
  const auto at_once = [&]() -> Value* {
    std::vector<Value*> arguments = {inputs_.warp, run->address};
    arguments.insert(arguments.end(), common.begin(), common.end());
    arguments.push_back(b_.getInt64(static_cast<std::uint64_t>(run->step)));
    arguments.push_back(b_.getInt64(site));
    runtime_.call(offsetof(RuntimeTable, check_run), b_.getVoidTy(), arguments);
    return nullptr;
  };
  branches_.either_way(run->ok, at_once, [&]() -> Value* {
    record_all(operand, space, nullptr, common, site);
    return nullptr;
  });
}

void CheckCalls::record_all(const ptx::Operand& operand, Space space, Value* sizes, llvm::ArrayRef<Value*> common,
                            std::uint64_t site) {
  Value* const none = llvm::ConstantPointerNull::get(kernel_.abi.pointer);
  std::vector<Value*> arguments = {inputs_.warp, spilled_addresses(operand, space), sizes ? sizes : none};
  arguments.insert(arguments.end(), common.begin(), common.end());
  arguments.push_back(b_.getInt64(site));
  runtime_.call(offsetof(RuntimeTable, check_marked), b_.getVoidTy(), arguments);
}

std::optional<CheckCalls::Run> CheckCalls::run_of(const ptx::Operand& operand, Space space, unsigned bytes) {
  Run run;
  Value* step = b_.getInt64(static_cast<std::uint64_t>(operand.value));
  if (operand.base != OperandKind::reg) {
    Value* base = operand.base == OperandKind::symbol ? spaces_.symbol_address(operand.symbol, 0) : b_.getInt64(0);
    if (base->getType() != kernel_.abi.i64) return std::nullopt;
    run.address = b_.CreateAdd(base, step);
    return run;
  }
  const ValueForm form = lanes() == 1 ? ValueForm{ValueForm::Kind::uniform} : facts_.forms[operand.index];
  if (form.kind == ValueForm::Kind::varying) return std::nullopt;
  // Of registers of 32 bits the runtime takes the sign, where they are offsets in a window.
  Value* value = registers_.read(operand.index);
  const bool is_wide = value->getType() == kernel_.abi.i64;
  if (!is_wide && space != Space::shared) return std::nullopt;
  run.address = b_.CreateAdd(is_wide ? value : b_.CreateSExt(value, kernel_.abi.i64), step);
  if (lanes() == 1) run.step = bytes;
  if (form.kind == ValueForm::Kind::uniform) return run;
  const auto offsets = facts_.lane_offsets(form);
  run.step = offsets[1];
  for (unsigned lane = 0; lane < lanes(); ++lane)
    if (offsets[lane] != run.step * lane) return std::nullopt;
  for (std::uint32_t assumption : facts_.assumptions(operand.index))
    run.ok = both(run.ok, registers_.no_wrap(assumption));
  return run;
}

llvm::Value* CheckCalls::active_bits(Value* mask) {
  if (lanes() == 1) return b_.getInt32(1);
  return b_.CreateZExtOrTrunc(mask_bits(mask_or_full(mask)), kernel_.abi.i32);
}

std::uint32_t CheckCalls::marks_of(const ptx::Instruction& inst, unsigned bytes) const {
  std::uint32_t marks = 0;
  const ptx::Order order = inst.d.order;
  const bool is_atomic = inst.opcode == Opcode::atom || inst.opcode == Opcode::red;
  const bool is_barrier = inst.opcode == Opcode::mbarrier || inst.has(Modifier::mbarrier);
  const bool sets_up = inst.opcode == Opcode::mbarrier && inst.has(Modifier::init);  // what was there does not matter
  const bool is_settled = order == ptx::Order::weak && is_read_for_atomic(inst);
  if (is_atomic || is_barrier || order != ptx::Order::weak || is_settled) marks |= CheckedAccess::strong;
  const bool both = is_barrier || order == ptx::Order::acq_rel || order == ptx::Order::sc;
  // Programs take the value that an atomic or a volatile read gives for a permission, mostly without a fence.
  const bool is_read = inst.opcode == Opcode::ld || inst.opcode == Opcode::ldu;
  if (both || is_atomic || order == ptx::Order::acquire || (is_read && order != ptx::Order::weak))
    marks |= CheckedAccess::acquires;
  if (both || order == ptx::Order::release) marks |= CheckedAccess::releases;
  if (inst.d.scope == ptx::Scope::cta) marks |= CheckedAccess::block_scope;
  const unsigned count = std::max(1u, unsigned{inst.d.vector});
  unsigned log = 0;
  while ((count << (log + 1)) <= bytes) ++log;
  marks |= log << CheckedAccess::size_shift;
  for (unsigned e = 0; e < std::min(count, 8u); ++e) {
    const ptx::Operand* result = is_read ? &inst.operands[0] : nullptr;
    if (result && result->kind == OperandKind::vector && e < result->elements.size()) result = &result->elements[e];
    if (!result || computes_with(*result, inst.d.space)) marks |= 1u << (CheckedAccess::used_shift + e);
  }
  return inst.opcode == Opcode::cp || sets_up ? marks & ~(0xffu << CheckedAccess::used_shift) : marks;
}

// The first read of a loop around atomicCAS, as of CUDA's programming guide, is a plain one; and so is a test whether
// an atomicMax is worth its time.
bool CheckCalls::is_read_for_atomic(const ptx::Instruction& inst) const {
  if (!kernel_.checks.race || inst.opcode != Opcode::ld) return false;
  if (!settled_) settled_.emplace(function_);
  return settled_->contains(inst);
}

// Memory of the block is often read past the end of what is there, ahead of a test.
bool CheckCalls::computes_with(const ptx::Operand& destination, ptx::Space space) const {
  if (!destination.is_reg()) return false;
  if (!uses_) uses_.emplace(function_, facts_.cfg, facts_.post_dominators);
  return space == ptx::Space::shared ? uses_->certain(context_.index, destination.index)
                                     : uses_->any(destination.index);
}

namespace {

// Of what has no mask, and is of all lanes.
const ptx::Operand& all_lanes() {
  static const ptx::Operand mask = ptx::Operand::make_integer(0xffffffff);
  return mask;
}

// The member mask of a warp operation; null for what has none. Matrix products name no mask: they are of all lanes.
const ptx::Operand* member_mask(const ptx::Instruction& inst) {
  const auto operand = [&](std::size_t i) { return i < inst.operands.size() ? &inst.operands[i] : nullptr; };
  switch (inst.opcode) {
    case Opcode::shfl: return operand(5);
    case Opcode::vote:
    case Opcode::redux:
    case Opcode::elect: return operand(2);
    case Opcode::match: return &inst.operands.back();
    case Opcode::mma:
    case Opcode::wmma: return &all_lanes();
    case Opcode::bar:
    case Opcode::barrier: return inst.has(Modifier::warp) ? operand(0) : nullptr;
    default: return nullptr;
  }
}

}  // namespace

void CheckCalls::check_members(const ptx::Instruction& inst) {
  if (!kernel_.checks.memory && !kernel_.checks.sync) return;
  const ptx::Operand* operand = member_mask(inst);
  if (operand == nullptr || !operand->present()) return;
  Value* places = in_memory(of_lanes(*operand));
  Value* bits = active_bits(registers_.instruction_mask(inst));
  runtime_.note_line(inst);
  runtime_.call(offsetof(RuntimeTable, check_members), b_.getVoidTy(), {inputs_.warp, places, bits});
}

llvm::Value* CheckCalls::of_lanes(const ptx::Operand& operand) {
  return lanes() == 1 ? registers_.lane0(operand, Type::b32) : registers_.vector(operand, Type::b32);
}

llvm::Value* CheckCalls::in_memory(Value* of_lanes) {
  auto* places = entry_alloca(llvm::ArrayType::get(kernel_.abi.i32, lanes()), "members");
  b_.CreateAlignedStore(of_lanes, places, llvm::Align(4));
  return places;
}

void CheckCalls::order(const ptx::Instruction& inst, OrderKind kind, Value* members) {
  runtime_.note_line(inst);
  runtime_.call(offsetof(RuntimeTable, order), b_.getVoidTy(),
                {inputs_.warp, members, active_bits(registers_.instruction_mask(inst)),
                 b_.getInt32(static_cast<std::uint32_t>(kind))});
}

void CheckCalls::note_order(const ptx::Instruction& inst, OrderKind kind, const ptx::Operand* members) {
  order(inst, kind, members ? in_memory(of_lanes(*members)) : llvm::ConstantPointerNull::get(kernel_.abi.pointer));
}

void CheckCalls::note_barrier(const ptx::Instruction& inst, const ptx::Operand& number, const ptx::Operand& threads) {
  const auto constant = [&](std::uint32_t value) -> Value* {
    return lanes() == 1 ? b_.getInt32(value) : splat(b_.getInt32(value));
  };
  Value* named = b_.CreateAnd(of_lanes(number), constant(0xffff));
  if (threads.present()) named = b_.CreateOr(named, b_.CreateShl(of_lanes(threads), constant(16)));
  order(inst, OrderKind::aligned_barrier, in_memory(named));
}

void CheckCalls::note_order(const ptx::Instruction& inst) {
  if (!kernel_.checks.race && !kernel_.checks.sync) return;
  if (inst.opcode == Opcode::membar || inst.opcode == Opcode::fence) {
    const bool block_only = inst.d.scope == ptx::Scope::cta || inst.d.scope == ptx::Scope::none;
    if (kernel_.checks.race && !inst.has(Modifier::proxy))
      note_order(inst, block_only ? OrderKind::fence_block : OrderKind::fence_device);
    return;
  }
  if (inst.d.matrix == ptx::MatrixAccess::together) {
    if (kernel_.checks.sync) note_order(inst, OrderKind::together, &all_lanes());
    return;
  }
  // With one lane the lanes meet in the runtime, which sees it.
  const ptx::Operand* members = lanes() == 1 ? nullptr : member_mask(inst);
  if (!members || !members->present()) return;
  const bool is_barrier = inst.opcode == Opcode::bar || inst.opcode == Opcode::barrier;
  note_order(inst, is_barrier ? OrderKind::warp_barrier : OrderKind::exchange, members);
}

}  // namespace heddle::device::cpu
