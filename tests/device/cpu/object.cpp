#include "device/cpu/object.hpp"

#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <stdexcept>

namespace heddle::device::cpu::test {

std::vector<char> object_from_ir(const std::string& ir) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString(ir, problem, context);
  if (module == nullptr) throw std::runtime_error(problem.getMessage().str());
  std::string error;
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) throw std::runtime_error(error);
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "generic", "", {}, llvm::Reloc::PIC_, llvm::CodeModel::Small));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(*module);
  return {bytes.begin(), bytes.end()};
}

CompiledKernel adding_kernel(unsigned step, unsigned line) {
  CompiledKernel kernel;
  kernel.stack_bytes = 256;
  kernel.explanation = "made by hand";
  // %launch points to LaunchContext, whose first member points to the parameters.
  kernel.object = object_from_ir(fmt::format(R"(
define void @heddle_kernel(ptr %launch, ptr %warp, i64 %begin, i64 %end) !dbg !3 {{
  %parameters = load ptr, ptr %launch, !dbg !6
  %place = load ptr, ptr %parameters, !dbg !6
  %blocks = sub i64 %end, %begin, !dbg !6
  %count = trunc i64 %blocks to i32, !dbg !6
  %sum = mul i32 %count, {}, !dbg !6
  %old = atomicrmw add ptr %place, i32 %sum seq_cst, !dbg !5
  ret void, !dbg !6
}}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!7, !8}}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernel.ptx", directory: "")
!2 = !DISubroutineType(types: !4)
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!4 = !{{}}
!5 = !DILocation(line: {}, scope: !3)
!6 = !DILocation(line: 1, scope: !3)
!7 = !{{i32 2, !"Debug Info Version", i32 3}}
!8 = !{{i32 7, !"Dwarf Version", i32 4}}
)",
                                             step, line));
  return kernel;
}

}  // namespace heddle::device::cpu::test
