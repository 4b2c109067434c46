// Compiles single PTX instructions with ArithmeticEmitter into loops over arrays, for several vector widths and
// processor features, and compares what they compute with ptx::semantics::evaluate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ptx/ir.hpp"
#include "ptx/semantics/evaluate.hpp"

namespace heddle::test {

// One instruction with its registers, which are untyped: %p predicates, %b %h %r %d %q of 8 to 128 bits.
struct TestInstruction {
  std::string text;
  ptx::Module module;
  const ptx::Instruction& inst() const { return module.functions[0].body[0]; }
};
TestInstruction parse_instruction(const std::string& text);

// What one use slot takes in one lane, or an element of a vector operand.
struct OperandInfo {
  ptx::Type type = ptx::Type::none;  // of the slot
  unsigned width = 0;                // of the register in bits
  bool is_constant = false;
  std::uint64_t constant = 0;
  bool is_absent = false;
};
std::vector<OperandInfo> use_operands(const TestInstruction& test);
std::vector<OperandInfo> def_operands(const TestInstruction& test);

// The processors that code is made for: as this one is, with AVX2 only, and with nothing beyond the base architecture.
enum class Processor { host, avx2, base };
const char* name(Processor processor);
struct Target {
  Processor processor = Processor::host;
  unsigned width = 0;  // 0: scalar
};
// Those that this machine can run, each with some widths; every combination when HEDDLE_TEST_ALL_WIDTHS is set.
std::vector<Target> targets();

// Arrays of 64-bit words: inputs[operand][item]; carry in and out.
struct Batch {
  std::vector<std::vector<std::uint64_t>> inputs;
  std::vector<std::uint64_t> carry;
  std::size_t size() const { return carry.size(); }
};
struct Results {
  std::vector<std::vector<std::uint64_t>> outputs;
  std::vector<std::uint64_t> carry;
};

// The instruction as machine code for one width (0: scalar).
class CompiledInstruction {
 public:
  CompiledInstruction(const TestInstruction& test, Processor processor, unsigned width);
  ~CompiledInstruction();
  CompiledInstruction(CompiledInstruction&&) noexcept;
  Results run(const Batch& batch) const;
  // Runs `repeats` times over one block of `size` items that stays in the cache; returns the nanoseconds of one pass.
  double time(const Batch& batch, unsigned repeats) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Operand values: specials crossed, then random ones, at most `count` in all.
Batch make_batch(const TestInstruction& test, std::size_t count, std::uint64_t seed = 1);
std::vector<std::uint64_t> special_values(ptx::Type type);

// Runs the instruction on every processor and width and expects the oracle's results. NaNs equal NaNs, except for min
// and max, whose NaN is canonical.
void expect_exact(const std::string& text, std::size_t count = 3000);
void expect_exact(const TestInstruction& test, const Batch& batch, const std::vector<Target>& on = targets());
void expect_exact_all(const std::vector<std::string>& texts, std::size_t count = 3000);

}  // namespace heddle::test
