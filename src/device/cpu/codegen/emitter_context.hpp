// What the parts of the emitter share: the kernel, the function, the values that its code starts from, and the place
// where code is being emitted.
#pragma once

#include <cstdint>
#include <map>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "device/cpu/codegen/abi_types.hpp"
#include "device/cpu/codegen/arithmetic_types.hpp"
#include "device/cpu/codegen/function_facts.hpp"
#include "device/cpu/codegen/shared_layout.hpp"
#include "heddle/checks.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

// What all functions of one kernel's object share.
struct KernelContext {
  const ptx::Module& source;
  llvm::LLVMContext& llvm;
  llvm::Module& module;
  const AbiTypes& abi;
  HostFeatures features;
  unsigned lanes = 32;
  Dim3 block;
  heddle::Checks checks;
  bool check = false;  // calls before accesses
  bool fibers = false;
  const SharedLayout& shared;
  std::map<std::uint32_t, llvm::Function*> functions;  // compiled .func bodies by index in source.functions
  llvm::DIFile* file = nullptr;
  llvm::DIBuilder* debug = nullptr;
  std::uint32_t checked_sites = 0, exempt_sites = 0;  // of KnownRanges::sites and ::exempt, those in use
};

// The values that every warp's code starts from, set by the surrounding loop (kernel.cpp).
struct WarpInputs {
  llvm::Value* launch = nullptr;        // LaunchContext*
  llvm::Value* warp = nullptr;          // WarpContext*
  llvm::Value* shared = nullptr;        // base of the shared window
  llvm::Value* block_id[3] = {};        // %ctaid, i32
  llvm::Value* first_thread = nullptr;  // linear id of lane 0, i32
  llvm::Value* streams = nullptr;       // i1: streaming stores pay in this launch; null: never
  llvm::Value* mask = nullptr;          // lanes that start; null: all
  llvm::Value* parameters = nullptr;    // kernel parameters, or the frame of a call
  llvm::Value* returns = nullptr;       // frame for the results of a call
  llvm::BasicBlock* end = nullptr;      // where the warp is done
  llvm::BasicBlock* suspend = nullptr;  // shape of phases: where it returns to wait at a barrier
};

struct FunctionContext {
  FunctionContext(KernelContext& kernel_context, const FunctionFacts& function_facts, llvm::Function* llvm_function,
                  const WarpInputs& warp_inputs)
      : kernel(kernel_context),
        facts(function_facts),
        function(llvm_function),
        inputs(warp_inputs),
        builder(kernel_context.llvm) {}

  KernelContext& kernel;
  const FunctionFacts& facts;
  llvm::Function* function;
  WarpInputs inputs;
  llvm::IRBuilder<> builder;
  llvm::DISubprogram* scope = nullptr;        // null: no line numbers
  llvm::Instruction* alloca_point = nullptr;  // allocas go in front of it

  // The PTX that is being emitted.
  std::uint32_t block = 0;
  std::uint32_t index = 0;      // of the instruction in the function's body
  llvm::Value* mask = nullptr;  // lanes that run the block; null: all
};

}  // namespace heddle::device::cpu
