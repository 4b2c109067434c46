#include "device/cpu/codegen/stack_sizes.hpp"

#include <algorithm>
#include <utility>

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>

namespace heddle::device::cpu {
namespace {

// Functions with vectors align their frame.
constexpr std::uint64_t alignment = 128;

class Recorder : public llvm::DiagnosticHandler {
 public:
  explicit Recorder(std::shared_ptr<StackSizes> sizes) : sizes_(std::move(sizes)) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* stack = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info);
    if (stack == nullptr) return false;  // goes where it would go without this
    (*sizes_)[stack->getFunction().getName().str()] = stack->getStackSize();
    return true;
  }

 private:
  std::shared_ptr<StackSizes> sizes_;
};

std::uint64_t of_frame(const llvm::Function& function, const StackSizes& sizes) {
  const auto found = sizes.find(function.getName().str());
  return alignment + (found == sizes.end() ? 0 : found->second);
}

}  // namespace

std::shared_ptr<const StackSizes> record_stack_sizes(llvm::Module& module) {
  auto sizes = std::make_shared<StackSizes>();
  module.getContext().setDiagnosticHandler(std::make_unique<Recorder>(sizes));
  // A warning for any frame that is not empty; it does not change the code.
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.addFnAttr("warn-stack-size", "0");
  return sizes;
}

// Functions call pieces, and pieces call nothing that has a frame of its own: two levels.
std::uint64_t stack_of(const llvm::Function& function, const StackSizes& sizes) {
  std::uint64_t most = 0;
  for (const llvm::Instruction& inst : llvm::instructions(function))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
      if (const llvm::Function* callee = call->getCalledFunction(); callee && !callee->isDeclaration())
        most = std::max(most, of_frame(*callee, sizes));
  return of_frame(function, sizes) + most;
}

}  // namespace heddle::device::cpu
