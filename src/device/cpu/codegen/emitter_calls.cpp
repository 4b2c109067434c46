#include "device/cpu/codegen/emitter_calls.hpp"

#include <algorithm>

#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/call_frame.hpp"
#include "device/cpu/function_handle.hpp"
#include "ptx/rewrite/inline_calls.hpp"

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Type;

namespace {
constexpr unsigned results_slot = 0, callee_slot = 1, arguments_slot = 2;
// Of a switch over the functions that a call may reach.
constexpr std::size_t most_cases = 8;
}  // namespace

void CallInstructions::call(const ptx::Instruction& call) {
  const ptx::Operand& callee = call.operands[callee_slot];
  if (callee.kind == OperandKind::symbol) {
    const std::uint32_t index = ptx::definition_of(kernel_.source, callee.symbol.index);
    const ptx::Function& function = kernel_.source.functions[index];
    if (emit_builtin(call, function.name)) return;
    const auto compiled = kernel_.functions.find(index);
    if (compiled == kernel_.functions.end())
      refuse(call, "the function '" + function.name +
                       "' has no body in this module and is none of the built-in ones "
                       "(vprintf, malloc, free, __assertfail)");
    emit_function_call(
        call, function.parameters, function.returns, [&](Value* mask, Value* parameters, Value* returns) {
          b_.CreateCall(compiled->second,
                        {inputs_.launch, inputs_.warp, mask_bits(mask_or_full(mask)), parameters, returns});
        });
    return;
  }
  const ptx::Table* prototype = nullptr;
  if (call.operands.size() > 3 && call.operands[3].kind == OperandKind::table)
    prototype = &function_.tables[call.operands[3].index];
  if (!prototype) refuse(call, "an indirect call without a prototype or a list of targets is not supported");
  const ptx::Function* first_target =
      prototype->kind == ptx::Table::Kind::call_targets ? &kernel_.source.functions[prototype->targets.at(0)] : nullptr;
  const auto& parameter_list = first_target ? first_target->parameters : prototype->parameters;
  const auto& return_list = first_target ? first_target->returns : prototype->returns;
  emit_function_call(call, parameter_list, return_list, [&](Value* mask, Value* parameters, Value* returns) {
    emit_indirect(call, registers_.vector(callee, Type::u64), mask, parameters, returns);
  });
}

bool CallInstructions::emit_builtin(const ptx::Instruction& call, const std::string& callee) {
  if (callee == "vprintf") {
    call_for_lanes(call, Type::b32, {argument(call, 0, Type::u64), argument(call, 1, Type::u64)},
                   [&](Value* lane, const std::vector<Value*>& a) -> Value* {
                     return runtime_.call(offsetof(RuntimeTable, vprintf), kernel_.abi.i32,
                                          {inputs_.warp, lane, a[0], a[1]});
                   });
    return true;
  }
  if (callee == "malloc") {
    call_for_lanes(call, Type::u64, {argument(call, 0, Type::u64)},
                   [&](Value*, const std::vector<Value*>& a) -> Value* {
                     return runtime_.call(offsetof(RuntimeTable, malloc), kernel_.abi.i64, {inputs_.warp, a[0]});
                   });
    return true;
  }
  if (callee == "free") {
    call_for_lanes(call, Type::none, {argument(call, 0, Type::u64)},
                   [&](Value*, const std::vector<Value*>& a) -> Value* {
                     runtime_.call(offsetof(RuntimeTable, free), b_.getVoidTy(), {inputs_.warp, a[0]});
                     return nullptr;
                   });
    return true;
  }
  if (callee == "__assertfail") {
    call_for_lanes(call, Type::none,
                   {argument(call, 0, Type::u64), argument(call, 1, Type::u64), argument(call, 2, Type::u32),
                    argument(call, 3, Type::u64)},
                   [&](Value* lane, const std::vector<Value*>& a) -> Value* {
                     runtime_.call(offsetof(RuntimeTable, assert_fail), b_.getVoidTy(),
                                   {inputs_.warp, lane, a[0], a[1], a[2], a[3]});
                     return nullptr;
                   });
    return true;
  }
  return false;
}

void CallInstructions::emit_function_call(const ptx::Instruction& call, const std::vector<ptx::Variable>& parameters,
                                          const std::vector<ptx::Variable>& returns,
                                          const std::function<void(Value*, Value*, Value*)>& make) {
  const auto make_frame = [&](const std::vector<ptx::Variable>& variables, const char* name) {
    const std::uint64_t bytes = std::max<std::uint64_t>(call_frame(variables, lanes()).bytes, 1);
    auto* place = entry_alloca(llvm::ArrayType::get(kernel_.abi.i8, bytes), name);
    place->setAlignment(llvm::Align(CallFrame::alignment));
    return place;
  };
  llvm::AllocaInst* parameter_frame = make_frame(parameters, "arguments");
  llvm::AllocaInst* return_frame = make_frame(returns, "results");
  Value* mask = registers_.instruction_mask(call);
  const auto copy = [&](unsigned slot, const std::vector<ptx::Variable>& variables, Value* frame, bool to_frame) {
    const CallFrame layout = call_frame(variables, lanes());
    for (std::size_t i = 0; i < variables.size() && i < call.operands[slot].elements.size(); ++i) {
      const ptx::Operand& operand = call.operands[slot].elements[i];
      const auto [offset, stride] = layout.places[i];
      Value* start = b_.CreateConstGEP1_64(kernel_.abi.i8, frame, offset);
      if (operand.kind == OperandKind::symbol) {
        variables_.copy_records(operand.symbol, start, stride, variables[i].size(), mask, to_frame);
      } else {
        const Address address = addresses_.of_place({start, static_cast<std::int64_t>(stride)});
        const unsigned bytes = ptx::byte_size(variables[i].type);
        const Type type = variables[i].type;
        if (!to_frame)
          registers_.write_operand(operand, type,
                                   elements_.load(address, memory_type(type), 1, bytes, mask, ptx::Space::generic)[0]);
        else if (lanes() == 1)
          b_.CreateStore(registers_.lane0(operand, type), start);
        else
          elements_.store(address, {registers_.vector(operand, type)}, bytes, mask, ptx::Space::generic);
      }
    }
  };
  copy(arguments_slot, parameters, parameter_frame, true);
  runtime_.note_line(call);
  // A call runs only when a lane makes it.
  branches_.when_any(guarded_by_lanes(call) ? mask : nullptr, [&] { make(mask, parameter_frame, return_frame); });
  copy(results_slot, returns, return_frame, false);
}

// The function of the module that returns the function of a handle, or null. It exists once, so that the code of a
// kernel with many calls of many functions does not grow with the product of both.
llvm::Function* CallInstructions::callee_finder() {
  constexpr const char* name = "heddle_callee";
  llvm::Module& module = *b_.GetInsertBlock()->getModule();
  if (llvm::Function* const made = module.getFunction(name)) return made;
  auto* type = llvm::FunctionType::get(b_.getPtrTy(), {kernel_.abi.i64}, false);
  auto* finder = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  finder->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "entry", finder));
  auto* unknown = llvm::BasicBlock::Create(module.getContext(), "unknown", finder);
  auto* choice = b.CreateSwitch(finder->getArg(0), unknown, static_cast<unsigned>(kernel_.functions.size()));
  b.SetInsertPoint(unknown);
  b.CreateRet(llvm::ConstantPointerNull::get(b.getPtrTy()));
  for (const auto& [index, function] : kernel_.functions) {
    auto* known = llvm::BasicBlock::Create(module.getContext(), "known", finder);
    choice->addCase(b.getInt64(function_handle(kernel_.source.functions[index].name)), known);
    b.SetInsertPoint(known);
    b.CreateRet(function);
  }
  return finder;
}

// Lanes that call the same function call it together.
void CallInstructions::emit_indirect(const ptx::Instruction& call, Value* targets, Value* mask, Value* parameters,
                                     Value* returns) {
  Value* bits = mask_bits(mask_or_full(mask));
  Value* spilled = lanes() == 1 ? nullptr : spill(targets);
  auto* before = b_.GetInsertBlock();
  auto* turn = new_block("group");
  auto* done = new_block("called");
  Value* none = llvm::ConstantInt::get(bits->getType(), 0);
  b_.CreateCondBr(b_.CreateICmpNE(bits, none), turn, done);
  b_.SetInsertPoint(turn);
  auto* rest = b_.CreatePHI(bits->getType(), 2);
  rest->addIncoming(bits, before);
  Value* target = targets;
  Value* group = rest;
  Value* lane = b_.getInt32(0);
  if (lanes() > 1) {
    lane = b_.CreateZExtOrTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b_.getTrue()), kernel_.abi.i32);
    target = element_at(spilled, kernel_.abi.i64, lane);
    group = b_.CreateAnd(rest, mask_bits(b_.CreateICmpEQ(targets, splat(target))));
  }
  auto* bad = new_block("bad");
  auto* returned = new_block("returned");
  const std::vector<Value*> arguments{inputs_.launch, inputs_.warp, group, parameters, returns};
  if (kernel_.functions.size() > most_cases) {
    auto* known = new_block("known");
    Value* const callee = b_.CreateCall(callee_finder(), {target});
    b_.CreateCondBr(b_.CreateIsNotNull(callee), known, bad);
    b_.SetInsertPoint(known);
    b_.CreateCall(kernel_.functions.begin()->second->getFunctionType(), callee, arguments);
    b_.CreateBr(returned);
  } else {
    auto* choice = b_.CreateSwitch(target, bad, static_cast<unsigned>(kernel_.functions.size()));
    for (const auto& [index, function] : kernel_.functions) {
      auto* known = new_block("known");
      choice->addCase(b_.getInt64(function_handle(kernel_.source.functions[index].name)), known);
      b_.SetInsertPoint(known);
      b_.CreateCall(function, arguments);
      b_.CreateBr(returned);
    }
  }
  b_.SetInsertPoint(bad);
  runtime_.note_line(call);
  runtime_.call(offsetof(RuntimeTable, bad_jump), b_.getVoidTy(), {inputs_.warp, lane, target});
  b_.CreateUnreachable();
  b_.SetInsertPoint(returned);
  Value* fewer = b_.CreateXor(rest, group);
  rest->addIncoming(fewer, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpNE(fewer, none), turn, done);
  b_.SetInsertPoint(done);
}

// Argument number i of a call as a value of each lane.
llvm::Value* CallInstructions::argument(const ptx::Instruction& call, unsigned i, Type type) {
  const ptx::Operand& operand = call.operands[arguments_slot].elements.at(i);
  if (operand.kind == OperandKind::symbol && operand.symbol.kind == ptx::SymbolRef::Kind::local_variable)
    return variables_.read(operand.symbol.index, 0, type);
  return registers_.vector(operand, type);
}

void CallInstructions::set_result(const ptx::Instruction& call, Type type, Value* value) {
  if (call.operands[results_slot].elements.empty()) return;
  const ptx::Operand& operand = call.operands[results_slot].elements[0];
  if (operand.kind == OperandKind::symbol)
    variables_.write(operand.symbol.index, 0, type, value, registers_.instruction_mask(call));
  else
    registers_.write_operand(operand, type, value);
}

// One runtime call a lane; `make` makes it and gives its result (or null).
void CallInstructions::call_for_lanes(const ptx::Instruction& call, Type result_type,
                                      const std::vector<Value*>& arguments,
                                      const std::function<Value*(Value* lane, const std::vector<Value*>&)>& make) {
  llvm::Type* element = result_type == Type::none ? nullptr : memory_type(result_type);
  llvm::AllocaInst* results = element ? entry_alloca(vector_of(element), "results") : nullptr;
  if (results) b_.CreateStore(llvm::Constant::getNullValue(vector_of(element)), results);
  std::vector<Value*> places;
  for (Value* value : arguments) places.push_back(lanes() == 1 ? value : spill(value));
  runtime_.note_line(call);
  branches_.for_each_lane(registers_.instruction_mask(call), [&](Value* lane) {
    std::vector<Value*> values;
    for (std::size_t i = 0; i < places.size(); ++i)
      values.push_back(lanes() == 1 ? places[i]
                                    : element_at(places[i], arguments[i]->getType()->getScalarType(), lane));
    Value* result = make(lane, values);
    if (results) b_.CreateStore(result, lanes() == 1 ? results : element_pointer(results, element, lane));
  });
  if (results) set_result(call, result_type, b_.CreateLoad(vector_of(element), results));
}

void CallInstructions::trap(const ptx::Instruction& inst) {
  Value* mask = registers_.instruction_mask(inst);
  branches_.when_any(guarded_by_lanes(inst) ? mask : nullptr, [&] {
    runtime_.note_line(inst);
    runtime_.call(offsetof(RuntimeTable, trap), b_.getVoidTy(), {inputs_.warp, first_lane(mask)});
  });
}

void CallInstructions::nanosleep(const ptx::Instruction& inst, bool is_progress) {
  const ptx::Operand& time = inst.operands[0];
  Value* ns =
      registers_.is_scalar(time) ? registers_.lane0(time, Type::u32) : first_active(registers_.vector(time, Type::u32));
  runtime_.note_line(inst);
  runtime_.call(offsetof(RuntimeTable, nanosleep), b_.getVoidTy(),
                {inputs_.warp, ns, b_.getInt32(is_progress ? 1 : 0)});
}

}  // namespace heddle::device::cpu
