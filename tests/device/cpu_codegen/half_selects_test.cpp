// Minima and maxima of single halves are machine code that calls nothing.
#include "device/cpu/codegen/half_selects.hpp"

#include <gtest/gtest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>
#include <vector>

#include "device/cpu/codegen/target.hpp"

namespace heddle::device::cpu {
namespace {

// What the machine code of a function of this body refers to; it returns %s, of the types of %a and %b.
std::vector<std::string> called(const std::string& type, const std::string& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(
      "define " + type + " @f(" + type + " %a, " + type + " %b) {\n" + body + "  ret " + type + " %s\n}\n", problem,
      context);
  EXPECT_NE(module, nullptr) << problem.getMessage().str();
  const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(host_target());
  module->setTargetTriple(machine->getTargetTriple().str());
  module->setDataLayout(machine->createDataLayout());
  select_half_bits(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  const std::vector<char> object = emit_object(*module, *machine);
  std::vector<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "f"));
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols())
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
      if (const llvm::StringRef name = llvm::cantFail(symbol.getName()); !name.empty()) names.push_back(name.str());
  return names;
}

std::string select_of(const std::string& type, const std::string& comparison, const std::string& other) {
  const std::string lanes = type == "half" ? "i1" : "<8 x i1>";
  return "  %c = fcmp " + comparison + " " + type + " %a, " + other + "\n  %s = select " + lanes + " %c, " + type +
         " %a, " + type + " " + other + "\n";
}

TEST(HalfSelects, CallNothing) {
  for (const char* comparison : {"ogt", "oge", "olt", "ole", "ugt", "ult", "nnan ogt", "nnan ninf nsz olt"})
    for (const char* other : {"0xH0000", "0xH8000", "0xH3C00", "0xHBC00", "%b"})
      EXPECT_EQ(called("half", select_of("half", comparison, other)), std::vector<std::string>())
          << comparison << other;
  for (const char* comparison : {"ogt", "olt"})
    for (const char* other : {"zeroinitializer", "%b"})
      EXPECT_EQ(called("<8 x half>", select_of("<8 x half>", comparison, other)), std::vector<std::string>());
}

}  // namespace
}  // namespace heddle::device::cpu
