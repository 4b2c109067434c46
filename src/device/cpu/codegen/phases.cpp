#include "device/cpu/codegen/phases.hpp"

#include <llvm/IR/CallingConv.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

llvm::BasicBlock* begin_phases(llvm::IRBuilder<>& b, llvm::Function& function, llvm::Value* memory) {
  function.setPresplitCoroutine();
  auto* null = llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value* id =
      b.CreateIntrinsic(llvm::Intrinsic::coro_id, {}, {b.getInt32(frame_alignment), null, null, null}, nullptr, "id");
  llvm::Value* handle = b.CreateIntrinsic(llvm::Intrinsic::coro_begin, {}, {id, memory}, nullptr, "handle");
  auto* suspend = llvm::BasicBlock::Create(b.getContext(), "suspend", &function);
  llvm::IRBuilder<> at_suspend(suspend);
  at_suspend.CreateIntrinsic(llvm::Intrinsic::coro_end, {},
                             {handle, b.getFalse(), llvm::ConstantTokenNone::get(b.getContext())});
  at_suspend.CreateRetVoid();
  return suspend;
}

void emit_phase_end(llvm::IRBuilder<>& b, llvm::BasicBlock* suspend) {
  llvm::Value* how = b.CreateIntrinsic(llvm::Intrinsic::coro_suspend, {},
                                       {llvm::ConstantTokenNone::get(b.getContext()), b.getFalse()});
  auto* resumed = llvm::BasicBlock::Create(b.getContext(), "resumed", b.GetInsertBlock()->getParent());
  // Otherwise it is suspended now, or destroyed, which no caller does: frames are memory without destructors.
  llvm::SwitchInst* where = b.CreateSwitch(how, suspend, 1);
  where->addCase(b.getInt8(0), resumed);
  b.SetInsertPoint(resumed);
}

namespace {

// The passes give the function that goes on after a barrier LLVM's own calling convention. Its caller is C++.
struct CallableFromC : llvm::PassInfoMixin<CallableFromC> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (llvm::Function& function : module)
      if (function.getCallingConv() == llvm::CallingConv::Fast) function.setCallingConv(llvm::CallingConv::C);
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

void add_phase_passes(llvm::ModulePassManager& pipeline) {
  pipeline.addPass(llvm::CoroEarlyPass());
  pipeline.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(/*OptimizeFrame=*/true)));
  pipeline.addPass(llvm::CoroCleanupPass());
  pipeline.addPass(CallableFromC());
}

std::uint32_t frame_bytes(const llvm::Module& module, llvm::StringRef coroutine) {
  auto* frame = llvm::StructType::getTypeByName(module.getContext(), (coroutine + ".Frame").str());
  if (frame == nullptr) return 0;  // no barrier can be reached
  return static_cast<std::uint32_t>(module.getDataLayout().getTypeAllocSize(frame).getFixedValue());
}

}  // namespace heddle::device::cpu
