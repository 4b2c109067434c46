// Large functions become pieces whose sizes add up to that of the function. What they compute is tested by
// tests/random/large_test.cpp.
#include "device/cpu/codegen/cut_functions.hpp"

#include <gtest/gtest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>

namespace heddle::device::cpu {
namespace {

constexpr CutLimits limits{.whole = 100, .piece = 20};

struct Parsed {
  explicit Parsed(const std::string& text) {
    llvm::SMDiagnostic problem;
    module = llvm::parseAssemblyString(text, problem, llvm);
    EXPECT_NE(module, nullptr) << problem.getMessage().str();
  }
  llvm::LLVMContext llvm;
  std::unique_ptr<llvm::Module> module;
};

// A chain of additions in one block.
std::string chain(int count) {
  std::string text = "define void @f(ptr %p) {\n  %v0 = load i32, ptr %p\n";
  for (int i = 0; i < count; ++i)
    text += "  %v" + std::to_string(i + 1) + " = add i32 %v" + std::to_string(i) + ", %v0\n";
  return text + "  store i32 %v" + std::to_string(count) + ", ptr %p\n  ret void\n}\n";
}

// A loop around many branches, with a variable for each and one that all use.
std::string branches(int count) {
  std::string variables, text;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), next = i + 1 < count ? "%b" + std::to_string(i + 1) : "%last";
    variables += "  %x" + n + " = alloca i32\n";
    text += "b" + n + ":\n  store i32 " + n + ", ptr %x" + n + "\n  %c" + n + " = icmp ult i32 %turn, " + n +
            "\n  br i1 %c" + n + ", label %t" + n + ", label " + next + "\nt" + n + ":\n  %l" + n +
            " = load i32, ptr %x" + n + "\n  store i32 %l" + n + ", ptr %all\n  br label " + next + "\n";
  }
  return "define void @f(i32 %turns) {\n  %all = alloca i32\n" + variables +
         "  br label %head\nhead:\n  %turn = phi i32 [0, %0], [%more, %last]\n  br label %b0\n" + text +
         "last:\n  %more = add i32 %turn, 1\n  %again = icmp ult i32 %more, %turns\n"
         "  br i1 %again, label %head, label %end\nend:\n  ret void\n}\n";
}

std::size_t instructions(const llvm::Module& module) {
  std::size_t count = 0;
  for (const llvm::Function& function : module) count += function.getInstructionCount();
  return count;
}

std::size_t largest(const llvm::Module& module) {
  std::size_t most = 0;
  for (const llvm::Function& function : module)
    if (function.getName() != "f") most = std::max<std::size_t>(most, function.getInstructionCount());
  return most;
}

TEST(CutFunctions, SmallOnesStayWhole) {
  Parsed parsed(chain(50));
  EXPECT_EQ(cut_large_functions(*parsed.module, limits, {}).pieces, 0u);
  EXPECT_EQ(parsed.module->size(), 1u);
}

TEST(CutFunctions, PiecesOfABlock) {
  Parsed parsed(chain(1000));
  const CutResult cut = cut_large_functions(*parsed.module, limits, {});
  EXPECT_FALSE(llvm::verifyModule(*parsed.module, &llvm::errs()));
  EXPECT_GE(cut.pieces, 1000 / (2 * limits.piece));
  EXPECT_EQ(parsed.module->size(), cut.pieces + 1);
  EXPECT_LE(largest(*parsed.module), 4 * limits.piece);
}

// Twice the function makes twice the code, and pieces of the same size.
TEST(CutFunctions, CodeGrowsInProportion) {
  for (const auto make : {chain, branches}) {
    Parsed one(make(400)), two(make(800));
    const CutResult cut = cut_large_functions(*one.module, limits, {});
    const CutResult cut_two = cut_large_functions(*two.module, limits, {});
    EXPECT_FALSE(llvm::verifyModule(*one.module, &llvm::errs()));
    EXPECT_FALSE(llvm::verifyModule(*two.module, &llvm::errs()));
    EXPECT_LE(instructions(*two.module), instructions(*one.module) * 21 / 10);
    EXPECT_LE(cut_two.frame_bytes, cut.frame_bytes * 21 / 10 + 64);
    EXPECT_LE(largest(*two.module), largest(*one.module) * 3 / 2);
  }
}

// A variable stays out of the frame where one piece alone uses it and does not run again before an end.
TEST(CutFunctions, VariablesOfOnePiece) {
  Parsed loop(branches(200)), ended(branches(200));
  EndBlocks ends;
  for (const llvm::BasicBlock& block : *ended.module->getFunction("f"))
    if (block.getName() == "last") ends.insert(&block);
  const CutResult in_loop = cut_large_functions(*loop.module, limits, {});
  const CutResult with_end = cut_large_functions(*ended.module, limits, ends);
  EXPECT_GE(in_loop.frame_bytes, 200 * sizeof(int));
  EXPECT_LT(with_end.frame_bytes, in_loop.frame_bytes / 2);
  EXPECT_FALSE(llvm::verifyModule(*ended.module, &llvm::errs()));
}

}  // namespace
}  // namespace heddle::device::cpu
