#include "device/cpu/codegen/emitter_slow.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

// void slow_{load,store}_N(ptr addresses, ptr values, iW mask)
llvm::Function* SlowAccess::plain_function(llvm::Type* element, bool is_store) {
  const std::string name =
      std::string(is_store ? "slow_store" : "slow_load") + std::to_string(element->getScalarSizeInBits());
  return slow_function(name, {kernel_.abi.pointer}, element, is_store,
                       [this](llvm::IRBuilder<>& b, llvm::Function* f, Value* lane) {
                         return b.CreateLoad(kernel_.abi.pointer, b.CreateGEP(kernel_.abi.pointer, f->getArg(0), lane));
                       });
}

// void slow_wrapped_{load,store}_N_{s,u}w(ptr base, i64 source, i64 step, i64 scale, ptr values, iW mask): lane l's
// address is base + scale * step * l, less what source + step * l wraps by when it is taken modulo 2^w.
llvm::Function* SlowAccess::wrapped_function(llvm::Type* element, bool is_store, bool is_signed, unsigned width) {
  const std::string name = std::string(is_store ? "slow_wrapped_store" : "slow_wrapped_load") +
                           std::to_string(element->getScalarSizeInBits()) + (is_signed ? "_s" : "_u") +
                           std::to_string(width);
  auto* i64 = kernel_.abi.i64;
  const auto address = [this, i64, is_signed, width](llvm::IRBuilder<>& b, llvm::Function* f, Value* lane) {
    Value *source = f->getArg(1), *distance = b.CreateMul(f->getArg(2), lane);
    Value* narrow = b.CreateTrunc(b.CreateAdd(source, distance), llvm::IntegerType::get(kernel_.llvm, width));
    Value* exact = is_signed ? b.CreateSExt(narrow, i64) : b.CreateZExt(narrow, i64);
    return b.CreateGEP(kernel_.abi.i8, f->getArg(0), b.CreateMul(b.CreateSub(exact, source), f->getArg(3)));
  };
  return slow_function(name, {kernel_.abi.pointer, i64, i64, i64}, element, is_store, address);
}

// An out-of-line loop over lanes that keeps all registers of its caller, so that the rarely taken call costs the usual
// path nothing.
llvm::Function* SlowAccess::slow_function(
    const std::string& name, std::vector<llvm::Type*> arguments, llvm::Type* element, bool is_store,
    const std::function<Value*(llvm::IRBuilder<>&, llvm::Function*, Value* lane)>& address_of_lane) {
  if (llvm::Function* known = kernel_.module.getFunction(name)) return known;
  auto* bits_type = llvm::IntegerType::get(kernel_.llvm, lanes());
  const auto values_argument = static_cast<unsigned>(arguments.size()), mask_argument = values_argument + 1;
  arguments.insert(arguments.end(), {kernel_.abi.pointer, bits_type});
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, kernel_.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->setCallingConv(llvm::CallingConv::PreserveAll);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(kernel_.llvm, "entry", function));
  auto* integer = llvm::IntegerType::get(kernel_.llvm, element->getScalarSizeInBits());
  auto* turn = llvm::BasicBlock::Create(kernel_.llvm, "lane", function);
  auto* takes_part = llvm::BasicBlock::Create(kernel_.llvm, "takes_part", function);
  auto* next = llvm::BasicBlock::Create(kernel_.llvm, "next", function);
  auto* done = llvm::BasicBlock::Create(kernel_.llvm, "done", function);
  auto* entry = b.GetInsertBlock();
  b.CreateBr(turn);
  b.SetInsertPoint(turn);
  auto* lane = b.CreatePHI(kernel_.abi.i64, 2);
  lane->addIncoming(b.getInt64(0), entry);
  Value* slot = b.CreateGEP(integer, function->getArg(values_argument), lane);
  if (!is_store) b.CreateStore(llvm::ConstantInt::get(integer, 0), slot);
  Value* shifted = b.CreateLShr(function->getArg(mask_argument), b.CreateZExtOrTrunc(lane, bits_type));
  b.CreateCondBr(b.CreateTrunc(shifted, kernel_.abi.i1), takes_part, next);
  b.SetInsertPoint(takes_part);
  Value* address = address_of_lane(b, function, lane);
  const llvm::Align byte(1);
  if (is_store)
    b.CreateAlignedStore(b.CreateLoad(integer, slot), address, byte);
  else
    b.CreateStore(b.CreateAlignedLoad(integer, address, byte), slot);
  b.CreateBr(next);
  b.SetInsertPoint(next);
  Value* following = b.CreateAdd(lane, b.getInt64(1));
  lane->addIncoming(following, next);
  b.CreateCondBr(b.CreateICmpEQ(following, b.getInt64(lanes())), done, turn);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

void SlowAccess::call_slow(llvm::Function* function, llvm::ArrayRef<Value*> arguments) {
  b_.CreateCall(function, arguments)->setCallingConv(llvm::CallingConv::PreserveAll);
}

// Loads or stores through an affine address whose form did not hold.
void SlowAccess::access(const Address& address, llvm::Type* element, Value* values, Value* mask, bool is_store) {
  Value* bits = mask_bits(mask_or_full(mask));
  if (address.wrapped) {
    const Wrapped& w = *address.wrapped;
    call_slow(wrapped_function(element, is_store, w.is_signed, w.width),
              {address.base, w.source, b_.getInt64(w.step), b_.getInt64(w.scale), values, bits});
  } else {
    call_slow(plain_function(element, is_store), {spill(address.exact()), values, bits});
  }
}

llvm::Value* SlowAccess::gather(const Address& address, llvm::Type* element, Value* mask) {
  llvm::AllocaInst* values = entry_alloca(vector_of(element), "gathered");
  access(address, element, values, mask, false);
  return b_.CreateLoad(vector_of(element), values);
}

void SlowAccess::scatter(const Address& address, Value* value, Value* mask) {
  access(address, value->getType()->getScalarType(), spill(value), mask, true);
}

}  // namespace heddle::device::cpu
