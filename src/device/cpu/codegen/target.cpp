#include "device/cpu/codegen/target.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "base/fail.hpp"
#include "base/memory_limit.hpp"
#include "base/variables.hpp"
#include "device/cpu/codegen/bit_selects.hpp"
#include "device/cpu/codegen/half_selects.hpp"
#include "device/cpu/codegen/phases.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu {
namespace {

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Instead of abort(). LLVM's functions can be left by exceptions, and this ends the compilation.
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) {
      base::fail(ErrorCode::out_of_memory, "LLVM has no memory to compile a kernel{}", base::memory_limit_note());
    });
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

HostTarget detect() {
  HostTarget host;
  host.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (const auto removed = base::text_variable("HEDDLE_CPU_FEATURES")) {
    llvm::SmallVector<llvm::StringRef, 8> names;
    llvm::StringRef(*removed).split(names, ',', -1, false);
    for (llvm::StringRef name : names) {
      name.consume_front("-");
      if (!features.contains(name))
        base::fail(ErrorCode::invalid_argument, "HEDDLE_CPU_FEATURES={}: '{}' is no feature that LLVM knows of.",
                   *removed, std::string_view(name.data(), name.size()));
      features[name] = false;
    }
  }
  // LLVM 19 gets comparisons of half vectors wrong on CPUs that have instructions for them: where it reads one operand
  // of a masked vcmpph from memory and swaps the two for that, it keeps the predicate. Through float the results are
  // the same to the bit.
  features["avx512fp16"] = false;
  llvm::SubtargetFeatures list;
  for (const auto& feature : features) list.AddFeature(feature.first(), feature.second);
  host.features = list.getString();
  host.arithmetic.avx512 = features.lookup("avx512f") && features.lookup("avx512vl") && features.lookup("avx512bw") &&
                           features.lookup("avx512dq");
  host.arithmetic.fma = features.lookup("fma");
  host.arithmetic.f16c = features.lookup("f16c");
  host.vector_bits = host.arithmetic.avx512 ? 512 : features.lookup("avx2") ? 256 : 128;
  return host;
}

}  // namespace

const HostTarget& host_target() {
  static const HostTarget host = detect();
  return host;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const HostTarget& host) {
  initialize_llvm();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) throw Error(ErrorCode::internal, "LLVM has no code generator for this machine: " + message);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // PTX says where to fuse; mul and add stay apart
  options.EnableFastISel = false;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, host.cpu, host.features, options,
                                                                          llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                                          llvm::CodeGenOptLevel::Default));
}

namespace {

// An object of LLVM that stays in memory where an exception passes it: memory ran out inside LLVM then, whose tables
// are as they were in the middle of a change, and the object's destructor may read what is not there.
template <class T>
class LeftByExceptions {
 public:
  template <class... Arguments>
  explicit LeftByExceptions(Arguments&&... arguments)
      : object_(std::make_unique<T>(std::forward<Arguments>(arguments)...)) {}
  ~LeftByExceptions() {
    if (std::uncaught_exceptions() > exceptions_) static_cast<void>(object_.release());
  }
  LeftByExceptions(const LeftByExceptions&) = delete;
  LeftByExceptions& operator=(const LeftByExceptions&) = delete;
  T* operator->() const { return object_.get(); }
  T& operator*() const { return *object_; }

 private:
  int exceptions_ = std::uncaught_exceptions();
  std::unique_ptr<T> object_;
};

struct Passes {
  explicit Passes(llvm::TargetMachine& machine) : builder(&machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  llvm::ModulePassManager pipeline;
};

// What is the same in all turns, computed once.
void take_out_of_loops(llvm::FunctionPassManager& passes) {
  llvm::LoopPassManager loop_passes;
  loop_passes.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loop_passes), true));
  passes.addPass(llvm::EarlyCSEPass(true));
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool phases) {
  const LeftByExceptions<Passes> all(machine);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  take_out_of_loops(passes);
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  all->pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  if (phases) {
    add_phase_passes(all->pipeline);
    llvm::FunctionPassManager after;
    after.addPass(llvm::SimplifyCFGPass());
    after.addPass(llvm::EarlyCSEPass(true));
    take_out_of_loops(after);
    after.addPass(llvm::ADCEPass());
    after.addPass(llvm::SimplifyCFGPass());
    all->pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(after)));
  }
  all->pipeline.run(module, all->modules);
  unmask_bit_selects(module);
  select_half_bits(module);
}

std::vector<char> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  const LeftByExceptions<llvm::legacy::PassManager> passes;
  if (machine.addPassesToEmitFile(*passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw Error(ErrorCode::internal, "LLVM cannot write object files for this machine.");
  passes->run(module);
  return std::vector<char>(buffer.begin(), buffer.end());
}

}  // namespace heddle::device::cpu
