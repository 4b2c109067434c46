// Which products get a fence, and that it hides nothing but bits. What large kernels compute is tested by
// tests/random/large_test.cpp.
#include "device/cpu/codegen/product_fences.hpp"

#include <gtest/gtest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>

#include "device/cpu/codegen/target.hpp"

namespace heddle::device::cpu {
namespace {

class ProductFences : public testing::Test {
 protected:
  // After the pass. `body` computes %r from the vectors %a and %b.
  llvm::Module& fenced(const std::string& type, const std::string& body) {
    llvm::SMDiagnostic problem;
    module_ = llvm::parseAssemblyString("define void @f(ptr %p, " + type + " %a, " + type + " %b) {\n" + body +
                                            "\n  store " + type + " %r, ptr %p\n  ret void\n}\n",
                                        problem, llvm_);
    EXPECT_NE(module_, nullptr) << problem.getMessage().str();
    fence_products(*module_);
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
    return *module_;
  }
  int fences(const std::string& type, const std::string& body) {
    int count = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(*fenced(type, body).getFunction("f")))
      if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        count += call->getIntrinsicID() == llvm::Intrinsic::arithmetic_fence ? 1 : 0;
    return count;
  }

  llvm::LLVMContext llvm_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(ProductFences, ProductsOfAnythingHaveOne) {
  EXPECT_EQ(fences("<32 x i64>", "%r = mul <32 x i64> %a, %b"), 1);
  EXPECT_EQ(fences("<32 x i32>", "%r = mul <32 x i32> %a, %b"), 1);
  EXPECT_EQ(fences("<8 x i64>", "%s = mul <8 x i64> %a, %b\n%t = add <8 x i64> %s, %a\n%r = mul <8 x i64> %t, %s"), 2);
}

TEST_F(ProductFences, OthersHaveNone) {
  EXPECT_EQ(fences("i64", "%r = mul i64 %a, %b"), 0);
  EXPECT_EQ(fences("<8 x i16>", "%r = mul <8 x i16> %a, %b"), 0);
  EXPECT_EQ(fences("<8 x i64>", "%r = add <8 x i64> %a, %b"), 0);
  EXPECT_EQ(fences("<4 x i64>",
                   "%s = and <4 x i64> %a, <i64 255, i64 255, i64 255, i64 255>\n"
                   "%r = mul <4 x i64> %s, %b"),
            0);
  EXPECT_EQ(fences("<2 x i64>",
                   "%n = trunc <2 x i64> %a to <2 x i32>\n%s = zext <2 x i32> %n to <2 x i64>\n"
                   "%r = mul <2 x i64> %b, %s"),
            0);
  EXPECT_EQ(fences("<2 x i64>", "%r = mul <2 x i64> %a, <i64 3, i64 3>"), 0);
}

// Vectors wider than registers, and those with a number of elements that is no power of two, become machine code.
TEST_F(ProductFences, CodeIsMadeOfThem) {
  for (const char* type : {"<32 x i64>", "<32 x i32>", "<4 x i64>", "<1 x i64>", "<12 x i32>"}) {
    llvm::Module& module = fenced(type, std::string("%s = mul ") + type + " %a, %b\n%r = mul " + type + " %s, %s");
    const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(host_target());
    module.setDataLayout(machine->createDataLayout());
    EXPECT_FALSE(emit_object(module, *machine).empty()) << type;
  }
}

}  // namespace
}  // namespace heddle::device::cpu
