#include "device/cpu_codegen/arithmetic_harness.hpp"

#include <chrono>
#include <cstring>

#include <gtest/gtest.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

#include "device/cpu/codegen/arithmetic.hpp"
#include "device/cpu/codegen/soft_functions.hpp"
#include "ptx/forms.hpp"
#include "ptx/parser.hpp"

namespace heddle::test {

namespace orc = llvm::orc;
using device::cpu::ArithmeticEmitter;
using device::cpu::HostFeatures;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

TestInstruction parse_instruction(const std::string& text) {
  const std::string source =
      ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .pred %p<9>;\n.reg .b8 %b<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
      ".reg .b128 %q<9>;\n.reg .f32 %f<9>;\n.reg .f64 %g<9>;\n" +
      text + ";\n}\n";
  return {text, ptx::parse(source, "instruction.ptx")};
}

namespace {

void add_operand(const ptx::Function& function, const Operand& operand, Type type, std::vector<OperandInfo>& out) {
  if (operand.kind == OperandKind::vector) {
    for (const Operand& element : operand.elements) add_operand(function, element, type, out);
    return;
  }
  OperandInfo info;
  info.type = type;
  info.width = ptx::bit_width(type);
  if (operand.kind == OperandKind::reg) {
    info.width = ptx::bit_width(function.registers[operand.index].type);
  } else if (operand.kind == OperandKind::integer || operand.kind == OperandKind::real) {
    info.is_constant = true;
    info.constant = static_cast<std::uint64_t>(operand.value);
    if (info.width < 64) info.constant &= (std::uint64_t{1} << info.width) - 1;
  } else {
    info.is_absent = true;
  }
  out.push_back(info);
}

std::vector<OperandInfo> operands_of(const TestInstruction& test, bool defs) {
  std::vector<OperandInfo> out;
  const ptx::SlotList slots = ptx::slots(test.inst());
  for (unsigned i = 0; i < slots.size; ++i)
    if ((slots[i].role == ptx::Role::def) == defs)
      add_operand(test.module.functions[0], test.inst().operands[i], slots[i].type, out);
  return out;
}

const llvm::StringMap<bool>& host_features() {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features;
}

HostFeatures features_of(Processor processor) {
  HostFeatures features;
  if (processor == Processor::base) return features;
  const auto has = [](const char* feature) { return host_features().lookup(feature); };
  features.fma = has("fma");
  features.f16c = has("f16c");
  features.avx512 =
      processor == Processor::host && has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq");
  return features;
}

}  // namespace

std::vector<OperandInfo> use_operands(const TestInstruction& test) { return operands_of(test, false); }
std::vector<OperandInfo> def_operands(const TestInstruction& test) { return operands_of(test, true); }

const char* name(Processor processor) {
  switch (processor) {
    case Processor::host: return "host";
    case Processor::avx2: return "avx2";
    case Processor::base: return "base";
  }
  return "";
}

std::vector<Target> targets() {
  std::vector<Target> list;
  const bool all = std::getenv("HEDDLE_TEST_ALL_WIDTHS") != nullptr;
  const auto add = [&](Processor processor, const std::vector<unsigned>& some) {
    for (unsigned width : all ? std::vector<unsigned>{0, 8, 16, 32} : some) list.push_back({processor, width});
  };
  add(Processor::host, {0, 32});
#if defined(__x86_64__)
  if (host_features().lookup("avx2") && host_features().lookup("fma")) add(Processor::avx2, {8});
  add(Processor::base, {16});
#endif
  return list;
}

namespace {

// void (void* const* inputs, void* const* outputs, i8* carry, void* const* soft, i64 items)
using Function = void (*)(const void* const*, void* const*, std::uint8_t*, void (*const*)(), std::uint64_t);

class LoopBuilder {
 public:
  LoopBuilder(llvm::Module& module, const TestInstruction& test, Processor processor, unsigned width)
      : context_(module.getContext()),
        b_(context_),
        test_(test),
        features_(features_of(processor)),
        width_(width),
        uses_(use_operands(test)),
        defs_(def_operands(test)) {
    llvm::Type* pointer = b_.getPtrTy();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer, pointer, b_.getInt64Ty()}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "run", module);
    build();
  }

 private:
  unsigned step() const { return width_ == 0 ? 1 : width_; }
  llvm::Type* shaped(llvm::Type* scalar) const {
    return width_ == 0 ? scalar : llvm::FixedVectorType::get(scalar, width_);
  }
  llvm::Value* place(llvm::Value* table, unsigned index, llvm::Type* element) {
    llvm::Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), table, index);
    return b_.CreateInBoundsGEP(element, b_.CreateLoad(b_.getPtrTy(), slot), item_);
  }
  static unsigned memory_width(unsigned width) { return width < 8 ? 8 : width; }

  llvm::Value* load(unsigned index, const OperandInfo& info) {
    if (info.is_absent) return nullptr;
    if (info.is_constant) {
      llvm::Type* carrier = device::cpu::carrier(context_, info.type, width_);
      llvm::Type* integer = shaped(b_.getIntNTy(carrier->getScalarSizeInBits()));
      return b_.CreateBitCast(llvm::ConstantInt::get(integer, info.constant), carrier);
    }
    llvm::Type* memory = b_.getIntNTy(memory_width(info.width));
    llvm::LoadInst* value = b_.CreateLoad(shaped(memory), place(function_->getArg(0), index, memory));
    value->setAlignment(llvm::Align(1));
    llvm::Value* result = b_.CreateTrunc(value, shaped(b_.getIntNTy(info.width)));
    llvm::Type* carrier = device::cpu::carrier(context_, info.type, width_);
    return carrier->getScalarSizeInBits() == info.width ? b_.CreateBitCast(result, carrier) : result;
  }

  void store(unsigned index, const OperandInfo& info, llvm::Value* value) {
    EXPECT_EQ(value->getType()->getScalarSizeInBits(), ptx::bit_width(info.type) == 128 ? 128 : value_width(info));
    llvm::Type* integer = shaped(b_.getIntNTy(value->getType()->getScalarSizeInBits()));
    llvm::Type* memory = b_.getIntNTy(memory_width(info.width));
    value = b_.CreateZExtOrTrunc(b_.CreateBitCast(value, integer), shaped(memory));
    b_.CreateStore(value, place(function_->getArg(1), index, memory))->setAlignment(llvm::Align(1));
  }
  static unsigned value_width(const OperandInfo& info) { return ptx::bit_width(info.type); }

  void build() {
    auto* entry = llvm::BasicBlock::Create(context_, "entry", function_);
    auto* loop = llvm::BasicBlock::Create(context_, "loop", function_);
    auto* end = llvm::BasicBlock::Create(context_, "end", function_);
    b_.SetInsertPoint(entry);
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* item = b_.CreatePHI(b_.getInt64Ty(), 2);
    item->addIncoming(b_.getInt64(0), entry);
    item_ = item;
    build_body();
    llvm::Value* next = b_.CreateAdd(item, b_.getInt64(step()));
    item->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(next, function_->getArg(4)), loop, end);
    b_.SetInsertPoint(end);
    b_.CreateRetVoid();
  }

  void build_body() {
    ArithmeticEmitter emitter(b_, features_, [this](unsigned number) {
      return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(3), number));
    });
    llvm::SmallVector<llvm::Value*, 4> operands;
    for (unsigned i = 0; i < uses_.size(); ++i) operands.push_back(load(i, uses_[i]));
    const bool uses_carry = carries();
    llvm::Type* flag = shaped(b_.getInt8Ty());
    llvm::Value* flags = b_.CreateInBoundsGEP(b_.getInt8Ty(), function_->getArg(2), item_);
    llvm::Value* carry = nullptr;
    if (uses_carry) {
      llvm::LoadInst* in = b_.CreateLoad(flag, flags);
      in->setAlignment(llvm::Align(1));
      carry = b_.CreateTrunc(in, shaped(b_.getInt1Ty()));
    }
    const auto results = emitter.emit(test_.inst(), operands, nullptr, carry);
    for (unsigned i = 0; i < defs_.size() && i < results.size(); ++i)
      if (results[i] && !defs_[i].is_absent) store(i, defs_[i], results[i]);
    if (uses_carry) b_.CreateStore(b_.CreateZExt(carry, flag), flags)->setAlignment(llvm::Align(1));
  }

  bool carries() const {
    const ptx::Opcode opcode = test_.inst().opcode;
    return test_.inst().d.carry_out || opcode == ptx::Opcode::addc || opcode == ptx::Opcode::subc ||
           opcode == ptx::Opcode::madc;
  }

  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  const TestInstruction& test_;
  HostFeatures features_;
  unsigned width_;
  std::vector<OperandInfo> uses_, defs_;
  llvm::Function* function_ = nullptr;
  llvm::Value* item_ = nullptr;
};

// llvm::cantFail is undefined behaviour in release builds when it does fail.
void require(llvm::Error error) {
  if (error) throw std::runtime_error(llvm::toString(std::move(error)));
}
template <class T>
T require(llvm::Expected<T> value) {
  if (!value) throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

orc::JITTargetMachineBuilder target_for(Processor processor) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  orc::JITTargetMachineBuilder builder = require(orc::JITTargetMachineBuilder::detectHost());
#if defined(__x86_64__)
  if (processor != Processor::host) {
    builder.setCPU(processor == Processor::avx2 ? "x86-64-v3" : "x86-64");
    builder.getFeatures() = llvm::SubtargetFeatures();
  }
#endif
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder;
}

void simplify(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

}  // namespace

struct CompiledInstruction::State {
  std::vector<OperandInfo> uses, defs;
  std::unique_ptr<orc::LLJIT> jit;
  Function function = nullptr;
};

CompiledInstruction::CompiledInstruction(const TestInstruction& test, Processor processor, unsigned width)
    : state_(std::make_unique<State>()) {
  state_->uses = use_operands(test);
  state_->defs = def_operands(test);
  orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(target_for(processor));
  builder.setPlatformSetUp(orc::setUpInactivePlatform);
  builder.setLinkProcessSymbolsByDefault(false);  // a call of any library function is an error
  state_->jit = require(builder.create());
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("instruction", *context);
  module->setDataLayout(state_->jit->getDataLayout());
  module->setTargetTriple(state_->jit->getTargetTriple().str());
  LoopBuilder(*module, test, processor, width);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream)) throw std::runtime_error(test.text + ": " + problem);
  simplify(*module);
  if (std::getenv("HEDDLE_DUMP_IR")) module->print(llvm::errs(), nullptr);
  require(state_->jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))));
  auto symbol = state_->jit->lookup("run");
  if (!symbol) throw std::runtime_error(test.text + ": " + llvm::toString(symbol.takeError()));
  state_->function = symbol->toPtr<Function>();
}

CompiledInstruction::~CompiledInstruction() = default;
CompiledInstruction::CompiledInstruction(CompiledInstruction&&) noexcept = default;

namespace {

unsigned bytes_of(const OperandInfo& info) { return info.width < 8 ? 1 : info.width / 8; }

struct Arrays {
  std::vector<std::vector<char>> storage;
  std::vector<void*> pointers;
  void add(std::size_t bytes) {
    storage.emplace_back(bytes + 512);
    pointers.push_back(storage.back().data());
  }
};

constexpr unsigned widest = 32;

}  // namespace

Results CompiledInstruction::run(const Batch& batch) const {
  const std::size_t items = batch.size(), padded = (items + widest - 1) / widest * widest;
  Arrays inputs, outputs;
  for (unsigned i = 0; i < state_->uses.size(); ++i) {
    const unsigned bytes = bytes_of(state_->uses[i]);
    inputs.add(padded * bytes);
    for (std::size_t k = 0; k < items && i < batch.inputs.size(); ++k)
      std::memcpy(inputs.storage[i].data() + k * bytes, &batch.inputs[i][k], std::min(bytes, 8u));
  }
  for (const OperandInfo& def : state_->defs) outputs.add(padded * bytes_of(def));
  std::vector<std::uint8_t> carry(padded);
  for (std::size_t k = 0; k < items; ++k) carry[k] = static_cast<std::uint8_t>(batch.carry[k]);
  state_->function(inputs.pointers.data(), outputs.pointers.data(), carry.data(), device::cpu::soft_functions(),
                   padded);
  Results results;
  for (unsigned i = 0; i < state_->defs.size(); ++i) {
    const unsigned bytes = std::min(bytes_of(state_->defs[i]), 8u), stride = bytes_of(state_->defs[i]);
    results.outputs.emplace_back(items);
    for (std::size_t k = 0; k < items; ++k)
      std::memcpy(&results.outputs[i][k], outputs.storage[i].data() + k * stride, bytes);
  }
  for (std::size_t k = 0; k < items; ++k) results.carry.push_back(carry[k]);
  return results;
}

double CompiledInstruction::time(const Batch& batch, unsigned repeats) const {
  Arrays inputs, outputs;
  const std::size_t items = batch.size() / widest * widest;
  for (unsigned i = 0; i < state_->uses.size(); ++i) {
    const unsigned bytes = bytes_of(state_->uses[i]);
    inputs.add(items * bytes);
    for (std::size_t k = 0; k < items; ++k)
      std::memcpy(inputs.storage[i].data() + k * bytes, &batch.inputs[i][k], std::min(bytes, 8u));
  }
  for (const OperandInfo& def : state_->defs) outputs.add(items * bytes_of(def));
  std::vector<std::uint8_t> carry(items);
  double best = 1e30;
  for (unsigned repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    state_->function(inputs.pointers.data(), outputs.pointers.data(), carry.data(), device::cpu::soft_functions(),
                     items);
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

namespace {

bool is_float_nan(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::f16: return (bits & 0x7fff) > 0x7c00;
    case Type::bf16: return (bits & 0x7fff) > 0x7f80;
    case Type::f32: return (bits & 0x7fffffff) > 0x7f800000;
    case Type::f64: return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    default: return false;
  }
}

// Equal, or NaN in the same parts of packed values.
bool same(Type type, bool exact_nan, std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return true;
  if (exact_nan) return false;
  const unsigned count = ptx::element_count(type), width = ptx::bit_width(type) / count;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t x = (expected >> (i * width)) & mask, y = (got >> (i * width)) & mask;
    const Type part = ptx::element(type);
    if (x != y && !(is_float_nan(part, x) && is_float_nan(part, y))) return false;
  }
  return true;
}

std::string describe(const Batch& batch, std::size_t item) {
  std::string text;
  char buffer[32];
  for (const auto& input : batch.inputs) {
    std::snprintf(buffer, sizeof buffer, " %#llx", static_cast<unsigned long long>(input[item]));
    text += buffer;
  }
  return text + " carry " + std::to_string(batch.carry[item]);
}

struct Expected {
  std::vector<std::array<ptx::semantics::Value, 2>> values;
  std::vector<std::uint64_t> carry;
};

Expected evaluate_all(const TestInstruction& test, const Batch& batch) {
  const std::vector<OperandInfo> uses = use_operands(test);
  Expected expected;
  std::vector<ptx::semantics::Argument> arguments(uses.size());
  for (std::size_t k = 0; k < batch.size(); ++k) {
    for (unsigned i = 0; i < uses.size(); ++i) {
      arguments[i].present = !uses[i].is_absent;
      arguments[i].value.lo = uses[i].is_constant ? uses[i].constant : batch.inputs[i][k];
    }
    bool carry = batch.carry[k] != 0;
    if (test.inst().opcode == ptx::Opcode::mov)
      expected.values.push_back({arguments[0].value});
    else
      expected.values.push_back(ptx::semantics::evaluate(test.inst(), arguments, carry));
    expected.carry.push_back(carry);
  }
  return expected;
}

}  // namespace

void expect_exact(const TestInstruction& test, const Batch& batch, const std::vector<Target>& on) {
  SCOPED_TRACE(test.text);
  const Expected expected = evaluate_all(test, batch);
  const std::vector<OperandInfo> defs = def_operands(test);
  const bool exact_nan = test.inst().opcode == ptx::Opcode::min || test.inst().opcode == ptx::Opcode::max;
  for (const auto [processor, width] : on) {
    Results got;
    try {
      got = CompiledInstruction(test, processor, width).run(batch);
    } catch (const std::exception& error) {
      ADD_FAILURE() << name(processor) << " width " << width << ": " << error.what();
      continue;
    }
    unsigned failures = 0;
    for (std::size_t k = 0; k < batch.size() && failures < 3; ++k) {
      for (unsigned i = 0; i < std::min<std::size_t>(defs.size(), 2); ++i) {
        if (defs[i].is_absent) continue;
        const std::uint64_t want = expected.values[k][i].lo;
        if (same(defs[i].type, exact_nan, want, got.outputs[i][k])) continue;
        ++failures;
        ADD_FAILURE() << name(processor) << " width " << width << " result " << i << std::hex << ": expected 0x" << want
                      << ", got 0x" << got.outputs[i][k] << " for" << describe(batch, k);
      }
      if (expected.carry[k] != got.carry[k] && ++failures)
        ADD_FAILURE() << name(processor) << " width " << width << ": carry " << got.carry[k] << " for"
                      << describe(batch, k);
    }
  }
}

void expect_exact(const std::string& text, std::size_t count) {
  SCOPED_TRACE(text);
  try {
    const TestInstruction test = parse_instruction(text);
    expect_exact(test, make_batch(test, count));
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
}

void expect_exact_all(const std::vector<std::string>& texts, std::size_t count) {
  for (const std::string& text : texts) expect_exact(text, count);
}

}  // namespace heddle::test
