// LLVM as Debian builds it has Polly inside, and its list of passes asks for it. Nothing in an archive uses Polly: this
// stands in its place (cut-llvm).
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no Polly", LLVM_VERSION_STRING, [](llvm::PassBuilder&) {}};
}
