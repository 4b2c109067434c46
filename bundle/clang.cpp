// The clang of an archive of script/bundle: the compiler of clang 19 with its driver, for CUDA C++ to PTX. Of the code
// generators it has NVPTX alone, and of the actions those that Heddle asks for; that makes it a third as large as
// Debian's. A file `defaults` beside it names the headers that it comes with.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/CodeGen/ObjectFilePCHContainerOperations.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/Path.h>
#include <llvm/TargetParser/Host.h>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace {

using namespace clang;

std::unique_ptr<FrontendAction> action_of(frontend::ActionKind kind) {
  switch (kind) {
    case frontend::EmitAssembly: return std::make_unique<EmitAssemblyAction>();
    case frontend::EmitLLVM: return std::make_unique<EmitLLVMAction>();
    case frontend::GeneratePCH: return std::make_unique<GeneratePCHAction>();
    case frontend::PrintPreprocessedInput: return std::make_unique<PrintPreprocessedAction>();
    case frontend::ParseSyntaxOnly: return std::make_unique<SyntaxOnlyAction>();
    default: return nullptr;
  }
}

void parse_llvm_options(const std::vector<std::string>& options) {
  if (options.empty()) return;
  std::vector<const char*> arguments{"clang -mllvm"};
  for (const std::string& option : options) arguments.push_back(option.c_str());
  llvm::cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data());
}

bool execute(CompilerInstance& compiler) {
  parse_llvm_options(compiler.getFrontendOpts().LLVMArgs);
  const auto action = action_of(compiler.getFrontendOpts().ProgramAction);
  if (action) return compiler.ExecuteAction(*action);
  std::fputs("clang: error: this clang belongs to Heddle and only makes PTX of CUDA C++\n", stderr);
  return false;
}

// clang -cc1: one compilation. arguments[0] is the program and arguments[1] says -cc1.
int compile(llvm::SmallVectorImpl<const char*>& arguments) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  CompilerInstance compiler;
  compiler.getPCHContainerOperations()->registerWriter(std::make_unique<ObjectFilePCHContainerWriter>());
  compiler.getPCHContainerOperations()->registerReader(std::make_unique<ObjectFilePCHContainerReader>());
  // What is said before there are options for how to say it.
  auto* early = new TextDiagnosticBuffer;
  DiagnosticsEngine diagnostics(new DiagnosticIDs, new DiagnosticOptions, early);
  bool good = CompilerInvocation::CreateFromArgs(compiler.getInvocation(), llvm::ArrayRef(arguments).slice(2),
                                                 diagnostics, arguments[0]);
  compiler.createDiagnostics();
  if (!compiler.hasDiagnostics()) return 1;
  early->FlushDiagnostics(compiler.getDiagnostics());
  good = good && execute(compiler);
  if (!good) compiler.getDiagnosticClient().finish();
  return good ? 0 : 1;
}

// The options that stand before all others, one a line in a file beside the program, where @FOLDER@ is the program's.
// No configuration file of clang: Heddle switches those off.
std::vector<std::string> defaults(const std::string& program) {
  constexpr llvm::StringLiteral own = "@FOLDER@";
  const std::string folder = llvm::sys::path::parent_path(program).str();
  std::vector<std::string> options;
  std::ifstream file(folder + "/defaults");
  for (std::string line; std::getline(file, line);) {
    if (const std::size_t at = line.find(own); at != std::string::npos) line.replace(at, own.size(), folder);
    if (!line.empty()) options.push_back(line);
  }
  return options;
}

// Turns the options that people know into those of -cc1, and runs this program again with them.
int drive(llvm::SmallVectorImpl<const char*>& arguments, const std::string& program) {
  arguments[0] = program.c_str();
  const std::vector<std::string> first = defaults(program);
  for (std::size_t i = 0; i < first.size(); ++i) arguments.insert(arguments.begin() + 1 + i, first[i].c_str());
  llvm::IntrusiveRefCntPtr<DiagnosticOptions> options = CreateAndPopulateDiagOpts(arguments);
  auto* printer = new TextDiagnosticPrinter(llvm::errs(), &*options);
  printer->setPrefix("clang");
  DiagnosticsEngine diagnostics(new DiagnosticIDs, &*options, printer);
  ProcessWarningOptions(diagnostics, *options, false);
  driver::Driver driver(program, llvm::sys::getDefaultTargetTriple(), diagnostics);
  const std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(arguments));
  int status = 1;
  llvm::SmallVector<std::pair<int, const driver::Command*>, 4> failed;
  if (compilation && !compilation->containsError()) status = driver.ExecuteCompilation(*compilation, failed);
  for (const auto& [code, command] : failed)
    if (status == 0) status = code;
  diagnostics.getClient()->finish();
  return status < 0 ? 70 : status;  // ended by a signal
}

}  // namespace

int main(int count, char** words) {
  const llvm::InitLLVM setup(count, words);
  llvm::SmallVector<const char*, 256> arguments(words, words + count);
  if (count > 1 && llvm::StringRef(words[1]) == "-cc1") return compile(arguments);
  return drive(arguments, llvm::sys::fs::getMainExecutable(words[0], reinterpret_cast<void*>(&compile)));
}
