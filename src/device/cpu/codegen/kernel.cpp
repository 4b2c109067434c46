// A kernel as one LLVM module: the loops over blocks and warps around the code of one warp.
#include <llvm/IR/Constants.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/variables.hpp"
#include "device/cpu/codegen/block_loops.hpp"
#include "device/cpu/codegen/codegen.hpp"
#include "device/cpu/codegen/cut_functions.hpp"
#include "device/cpu/codegen/emitter.hpp"
#include "device/cpu/codegen/limits.hpp"
#include "device/cpu/codegen/phases.hpp"
#include "device/cpu/codegen/plan.hpp"
#include "device/cpu/codegen/product_fences.hpp"
#include "device/cpu/codegen/stack_sizes.hpp"
#include "device/cpu/codegen/target.hpp"
#include "heddle/error.hpp"
#include "ptx/rewrite/expand_matrices.hpp"
#include "ptx/rewrite/inline_calls.hpp"
#include "ptx/rewrite/memory_parameters.hpp"
#include "ptx/rewrite/nest_loops.hpp"
#include "ptx/rewrite/return_exits.hpp"
#include "ptx/rewrite/split_webs.hpp"

namespace heddle::device::cpu {
namespace {

constexpr const char* entry_name = "heddle_kernel";
constexpr std::uint64_t most_local_bytes = 256u << 20;  // of a warp, in the shape of phases

struct LlvmModule {
  llvm::LLVMContext context;
  llvm::Module module{"heddle", context};
  AbiTypes types{context};
  std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(host_target());
};

class KernelBuilder {
 public:
  // `kernel` has its calls inlined.
  KernelBuilder(LlvmModule& llvm, const ptx::Module& source, const ptx::Function& kernel, const CodegenOptions& options)
      : source_(source),
        options_(options),
        llvm_(llvm.context),
        module_(llvm.module),
        abi_(llvm.types),
        machine_(*llvm.machine),
        inlined_(ptx::nest_loops(kernel, source)) {
    for (std::uint32_t callee : ptx::remaining_callees(source, inlined_))
      if (!source.functions[callee].is_declaration) callees_.push_back(callee);
    std::vector<const ptx::Function*> callee_functions;
    for (std::uint32_t callee : callees_) callee_functions.push_back(&source.functions[callee]);
    shared_ = shared_layout(source, inlined_, callee_functions);
  }

  // Nothing where the kernel must not have the shape of phases: it is so large that it has to be cut, or its local
  // memory is too large for frames.
  std::optional<CompiledKernel> build() {
    generate();
    const bool large = module_.getFunction(entry_name)->getInstructionCount() > cut_limits.whole ||
                       lane_bytes_ * plan_.lanes > most_local_bytes;
    if (plan_.shape == Shape::phases && large) return std::nullopt;
    return finish();
  }

  // LLVM IR for all of the kernel, as it leaves the emitters.
  void generate() {
    ptx::Function split = ptx::split_webs(inlined_);
    plan_ = make_plan(source_, split, !callees_.empty(), options_);
    module_.setTargetTriple(machine_.getTargetTriple().str());
    module_.setDataLayout(machine_.createDataLayout());
    KernelContext kernel{source_,
                         llvm_,
                         module_,
                         abi_,
                         host_target().arithmetic,
                         plan_.lanes,
                         options_.block,
                         options_.check,
                         options_.check.memory || options_.check.race || options_.check.init,
                         plan_.shape == Shape::fiber,
                         shared_,
                         {},
                         nullptr,
                         nullptr,
                         0,
                         0};
    start_debug(kernel);
    for (std::uint32_t callee : callees_)
      kernel.functions[callee] =
          make_function(kernel, FunctionEmitter::function_type(kernel), source_.functions[callee].name + ".warp",
                        llvm::Function::InternalLinkage, source_.functions[callee].line);
    for (std::uint32_t callee : callees_) build_callee(kernel, callee);
    build_entry(kernel, std::move(split));
    debug_->finalize();
  }

 private:
  FactsOptions facts_options() const {
    return {plan_.lanes, options_.block, options_.global_id_fits, options_.check.race};
  }

  void start_debug(KernelContext& kernel) {
    debug_ = std::make_unique<llvm::DIBuilder>(module_);
    kernel.debug = debug_.get();
    kernel.file = debug_->createFile("kernel.ptx", ".");
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_C, kernel.file, "heddle", true, "", 0, "",
                              llvm::DICompileUnit::LineTablesOnly);
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module_.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  }

  llvm::Function* make_function(KernelContext& kernel, llvm::FunctionType* type, const std::string& name,
                                llvm::GlobalValue::LinkageTypes linkage, std::uint32_t line) {
    auto* function = llvm::Function::Create(type, linkage, name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr("prefer-vector-width", "512");
    function->addFnAttr("min-legal-vector-width", "512");
    function->addFnAttr("target-cpu", host_target().cpu);
    function->addFnAttr("target-features", host_target().features);
    function->addFnAttr("denormal-fp-math", "ieee,ieee");
    auto* subroutine = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
    const unsigned at = line ? line : 1;
    function->setSubprogram(debug_->createFunction(kernel.file, name, name, kernel.file, at, subroutine, at,
                                                   llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition));
    return function;
  }

  static llvm::Value* field(llvm::IRBuilder<>& b, llvm::Value* object, std::size_t offset, llvm::Type* type) {
    return b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), object, offset));
  }
  static void set_field(llvm::IRBuilder<>& b, llvm::Value* object, std::size_t offset, llvm::Value* value) {
    // Volatile: a fault in the code behind it must find the value in memory.
    b.CreateStore(value, b.CreateConstGEP1_64(b.getInt8Ty(), object, offset), true);
  }

  void build_callee(KernelContext& kernel, std::uint32_t index) {
    const ptx::Function& source = source_.functions[index];
    const ptx::Function inlined = ptx::inline_calls(source_, ptx::memory_parameters(source), ptx::inline_into_callee);
    const FunctionFacts facts(source_, ptx::split_webs(ptx::nest_loops(inlined, source_)), facts_options());
    llvm::Function* function = kernel.functions[index];
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(llvm_, "entry", function));
    WarpInputs inputs;
    inputs.launch = function->getArg(0);
    inputs.warp = function->getArg(1);
    inputs.mask = plan_.lanes == 1
                      ? nullptr
                      : b.CreateBitCast(function->getArg(2), llvm::FixedVectorType::get(abi_.i1, plan_.lanes));
    inputs.parameters = function->getArg(3);
    inputs.returns = function->getArg(4);
    llvm::Value* block = field(b, inputs.warp, offsetof(WarpContext, block), abi_.pointer);
    inputs.shared = field(b, block, offsetof(BlockContext, shared), abi_.pointer);
    for (unsigned d = 0; d < 3; ++d)
      inputs.block_id[d] = field(b, block, offsetof(BlockContext, block_id) + 4 * d, abi_.i32);
    inputs.first_thread = field(b, inputs.warp, offsetof(WarpContext, first_thread), abi_.i32);
    inputs.end = llvm::BasicBlock::Create(llvm_, "end", function);
    FunctionContext context(kernel, facts, function, inputs);
    FunctionEmitter(context).emit(b);
    llvm::IRBuilder<>(inputs.end).CreateRetVoid();
    ends_.insert(inputs.end);
    lane_bytes_ += facts.memory.bytes;
  }

  void build_entry(KernelContext& kernel, ptx::Function split) {
    FactsOptions facts_of_entry = facts_options();
    facts_of_entry.spin_loops = plan_.spin_loops;
    facts_of_entry.counted_loops = plan_.counted_loops;
    const FunctionFacts facts(source_, std::move(split), facts_of_entry);
    lane_bytes_ += facts.memory.bytes;
    if (plan_.shape == Shape::direct)
      build_direct_entry(kernel, facts);
    else
      build_warp_entry(kernel, facts);
  }

  llvm::Value* existing_lanes_mask(llvm::IRBuilder<>& b, llvm::Value* lanes) const {
    if (options_.block.count() % plan_.lanes == 0) return nullptr;
    std::vector<llvm::Constant*> numbers;
    for (unsigned lane = 0; lane < plan_.lanes; ++lane) numbers.push_back(b.getInt32(lane));
    return b.CreateICmpULT(llvm::ConstantVector::get(numbers), b.CreateVectorSplat(plan_.lanes, lanes));
  }

  // void heddle_kernel(WarpContext*), and in the shape of phases void heddle_kernel(WarpContext*, void* frame)
  void build_warp_entry(KernelContext& kernel, const FunctionFacts& facts) {
    const bool phases = plan_.shape == Shape::phases;
    std::vector<llvm::Type*> arguments(phases ? 2 : 1, abi_.pointer);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(llvm_), arguments, false);
    auto* function = make_function(kernel, type, entry_name, llvm::Function::ExternalLinkage, facts.function.line);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(llvm_, "entry", function));
    WarpInputs inputs;
    if (phases) inputs.suspend = begin_phases(b, *function, function->getArg(1));
    inputs.warp = function->getArg(0);
    llvm::Value* block = field(b, inputs.warp, offsetof(WarpContext, block), abi_.pointer);
    inputs.launch = field(b, block, offsetof(BlockContext, launch), abi_.pointer);
    inputs.shared = field(b, block, offsetof(BlockContext, shared), abi_.pointer);
    inputs.parameters = field(b, inputs.launch, offsetof(LaunchContext, parameters), abi_.pointer);
    for (unsigned d = 0; d < 3; ++d)
      inputs.block_id[d] = field(b, block, offsetof(BlockContext, block_id) + 4 * d, abi_.i32);
    inputs.first_thread = field(b, inputs.warp, offsetof(WarpContext, first_thread), abi_.i32);
    inputs.mask = existing_lanes_mask(b, field(b, inputs.warp, offsetof(WarpContext, lanes), abi_.i32));
    inputs.end = llvm::BasicBlock::Create(llvm_, "end", function);
    FunctionContext context(kernel, facts, function, inputs);
    FunctionEmitter(context).emit(b);
    llvm::IRBuilder<> at_end(inputs.end);
    if (phases) {
      set_field(at_end, inputs.warp, offsetof(WarpContext, ended), at_end.getInt32(1));
      at_end.CreateBr(inputs.suspend);
    } else {
      at_end.CreateRetVoid();
    }
    ends_.insert(inputs.end);
  }

  // void heddle_kernel(LaunchContext*, WarpContext*, u64 begin, u64 end)
  void build_direct_entry(KernelContext& kernel, const FunctionFacts& facts) {
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(llvm_), {abi_.pointer, abi_.pointer, abi_.i64, abi_.i64}, false);
    auto* function = make_function(kernel, type, entry_name, llvm::Function::ExternalLinkage, facts.function.line);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(llvm_, "entry", function));
    WarpInputs inputs;
    inputs.launch = function->getArg(0);
    inputs.warp = function->getArg(1);
    llvm::Value* block = field(b, inputs.warp, offsetof(WarpContext, block), abi_.pointer);
    inputs.shared = field(b, block, offsetof(BlockContext, shared), abi_.pointer);
    inputs.parameters = field(b, inputs.launch, offsetof(LaunchContext, parameters), abi_.pointer);
    llvm::Value* grid[3];
    for (unsigned d = 0; d < 3; ++d) grid[d] = field(b, inputs.launch, offsetof(LaunchContext, grid) + 4 * d, abi_.i32);
    if (facts.streaming.any())
      inputs.streams =
          b.CreateICmpNE(field(b, inputs.launch, offsetof(LaunchContext, streams), abi_.i32), b.getInt32(0));
    streamed_bytes_ = facts.streaming.bytes_of_thread;
    const auto threads = static_cast<std::uint32_t>(options_.block.count());
    BlockLoops loops(b, grid, function->getArg(2), function->getArg(3));
    const auto warp = [&](llvm::Value* const id[3], llvm::Value* first_thread) {
      for (unsigned d = 0; d < 3; ++d) {
        inputs.block_id[d] = id[d];
        set_field(b, block, offsetof(BlockContext, block_id) + 4 * d, id[d]);
      }
      // Another block's shared memory may be here; what is known of it the runtime finds out anew.
      if (options_.check.init) set_field(b, block, offsetof(BlockContext, exempt_shared_bytes), b.getInt64(0));
      inputs.first_thread = first_thread;
      set_field(b, inputs.warp, offsetof(WarpContext, first_thread), first_thread);
      inputs.mask = existing_lanes_mask(b, b.CreateSub(b.getInt32(threads), first_thread));
      inputs.end = llvm::BasicBlock::Create(llvm_, "warp_end", function);
      FunctionContext context(kernel, facts, function, inputs);
      FunctionEmitter(context).emit(b);
      ends_.insert(inputs.end);
      b.SetInsertPoint(inputs.end);
    };
    if (plan_.row_threads)
      loops.by_rows(threads, plan_.row_threads, plan_.lanes, warp);
    else
      loops.by_blocks(threads, plan_.lanes, warp);
    // Stores that went past the caches are not ordered by what follows.
    if (facts.streaming.any()) b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    b.CreateRetVoid();
  }

  CompiledKernel finish() {
    if (base::truth_variable("HEDDLE_DUMP_IR").value_or(false)) module_.print(llvm::errs(), nullptr);
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(module_, &stream))
      throw Error(ErrorCode::internal,
                  "The code generator made invalid LLVM IR for '" + inlined_.name + "': " + stream.str());
    const CutResult cut = cut_large_functions(module_, cut_limits, ends_);
    optimize(module_, machine_, plan_.shape == Shape::phases);
    if (cut.pieces != 0) fence_products(module_);
    if (base::truth_variable("HEDDLE_DUMP_IR").value_or(false)) module_.print(llvm::errs(), nullptr);
    CompiledKernel result;
    result.shape = plan_.shape;
    result.width = plan_.lanes;
    result.may_wait = plan_.may_wait;
    if (plan_.shape == Shape::phases) result.frame_bytes = frame_bytes(module_, entry_name);
    result.static_shared_bytes = static_cast<std::uint32_t>(shared_.static_bytes);
    result.streamed_bytes = streamed_bytes_;
    result.explanation = plan_.explanation;
    if (cut.pieces != 0)
      result.explanation += fmt::format(", in {} pieces ({} LLVM instructions)", cut.pieces, cut.instructions);
    const std::shared_ptr<const StackSizes> stacks = record_stack_sizes(module_);
    result.object = emit_object(module_, machine_);
    std::uint64_t frames = 0;
    for (const llvm::Function& function : module_)
      if (!function.isDeclaration()) frames = std::max(frames, stack_of(function, *stacks));
    result.stack_bytes = stack_bytes(frames);
    return result;
  }

  // Most kernels have small frames and share stacks of one size. Recursion gets a generous stack.
  std::uint32_t stack_bytes(std::uint64_t frames) const {
    constexpr std::uint64_t usual = 64u << 10, deep = 4u << 20;
    const std::uint64_t local = lane_bytes_ * plan_.lanes;
    const std::uint64_t bytes = callees_.empty() ? std::max(local + usual, frames) : local + deep + frames;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
  }

  const ptx::Module& source_;
  CodegenOptions options_;
  llvm::LLVMContext& llvm_;
  llvm::Module& module_;
  const AbiTypes& abi_;
  llvm::TargetMachine& machine_;
  ptx::Function inlined_;
  std::vector<std::uint32_t> callees_;
  SharedLayout shared_;
  Plan plan_;
  std::unique_ptr<llvm::DIBuilder> debug_;
  EndBlocks ends_;  // nothing in registers outlasts them
  std::uint64_t lane_bytes_ = 0;
  std::uint32_t streamed_bytes_ = 0;
};

// Where memory runs out inside LLVM, its tables are left as they were in the middle of a change, and their destructors
// may read what is not there. They stay in memory then.
template <typename Use>
auto with_builder(const ptx::Module& module, const ptx::Function& kernel, const CodegenOptions& options, Use use) {
  auto llvm = std::make_unique<LlvmModule>();
  auto builder = std::make_unique<KernelBuilder>(*llvm, module, kernel, options);
  const auto abandon = [&] {
    static_cast<void>(builder.release());
    static_cast<void>(llvm.release());
  };
  try {
    return use(*builder);
  } catch (const std::bad_alloc&) {
    abandon();
    throw;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_memory) abandon();
    throw;
  }
}

// Functions return from an exit: what follows knows exits in kernels only.
template <typename Use>
auto with_inlined(const ptx::Module& module, const ptx::Function& kernel, const CodegenOptions& options, Use use) {
  ptx::Function inlined = ptx::inline_calls(module, kernel);
  if (!ptx::exits_in_callees(module, inlined)) return with_builder(module, inlined, options, use);
  ptx::Module returning = module;
  ptx::Function& changed = returning.functions[static_cast<std::size_t>(&kernel - module.functions.data())];
  changed = std::move(inlined);
  ptx::return_exits(returning);
  return with_builder(returning, changed, options, use);
}

// Moves of matrices are plain instructions for what follows.
template <typename Use>
auto with_expanded(const ptx::Module& module, const ptx::Function& kernel, const CodegenOptions& options, Use use) {
  if (!ptx::moves_matrices(module)) return with_inlined(module, kernel, options, use);
  ptx::Module expanded = module;
  ptx::expand_matrices(expanded, options.check.memory);
  const auto index = static_cast<std::size_t>(&kernel - module.functions.data());
  return with_inlined(expanded, expanded.functions[index], options, use);
}

}  // namespace

CompiledKernel compile_kernel(const ptx::Module& module, const ptx::Function& kernel, const CodegenOptions& options) {
  const auto build = [](KernelBuilder& builder) { return builder.build(); };
  if (std::optional<CompiledKernel> compiled = with_expanded(module, kernel, options, build))
    return std::move(*compiled);
  CodegenOptions without = options;
  without.phases = false;
  return with_expanded(module, kernel, without, build).value();
}

void check_kernel(const ptx::Module& module, const ptx::Function& kernel, const CodegenOptions& options) {
  with_expanded(module, kernel, options, [](KernelBuilder& builder) { builder.generate(); });
}

std::string host_identity() { return host_target().cpu + " " + host_target().features; }

}  // namespace heddle::device::cpu
