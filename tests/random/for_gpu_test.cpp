// Random kernels for GPUs leave out what ptxas 13.0 miscompiles or crashes on (docs/results/random-kernels-h200.md),
// and are as good as the others otherwise.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "random/comparison.hpp"
#include "random/instruction_writer.hpp"
#include "support/ptxas.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::test::random_kernel {
namespace {

constexpr std::uint64_t seeds = 450;

// The instructions of all kernels, each with its guard and operands.
const std::vector<std::string>& instructions() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> lines;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      std::istringstream text(generate(seed, true).text());
      for (std::string line; std::getline(text, line);)
        if (line.starts_with("  ") && line.ends_with(";")) lines.push_back(line.substr(2));
    }
    return lines;
  }();
  return all;
}

// No instruction matches `bad`, and enough match `such`, so that its absence says something.
void expect_none(const char* bad, const char* such) {
  const std::regex bad_pattern(bad), such_pattern(such);
  unsigned count = 0;
  for (const std::string& instruction : instructions()) {
    EXPECT_FALSE(std::regex_search(instruction, bad_pattern)) << instruction;
    count += std::regex_search(instruction, such_pattern);
  }
  EXPECT_GT(count, 10u) << such;
}

TEST(RandomKernelsForGpus, NoGuardedSetpIntoNothing) { expect_none(R"(^@\S+ setp\.\S+ _)", R"(^setp\.\S+ _)"); }

TEST(RandomKernelsForGpus, BranchesDependOnPredicatesOfTheirOwn) {
  expect_none(R"(^@!?%u?p\d+ (bra|ret|exit))", R"(^@!?%t_pred_\d+ bra)");
}

// One of the catalog's instructions.
Choice choice_of(ptx::Opcode opcode, ptx::Type type) {
  static Catalog catalog;
  Random random(1);
  for (;;) {
    const Choice choice = catalog.pick(random, {83, 90}, true);
    if (choice.form->opcode == opcode && choice.d.type == type) return choice;
  }
}

TEST(RandomKernelsForGpus, LeaveOutConstantsThatAreFoldedOtherwise) {
  const Choice fns = choice_of(ptx::Opcode::fns, ptx::Type::b32), mul = choice_of(ptx::Opcode::mul, ptx::Type::f32);
  EXPECT_TRUE(operands_differ_on_gpus(fns, "fns.b32 %r0, %r1, 3, -2147483648;"));
  EXPECT_TRUE(operands_differ_on_gpus(fns, "fns.b32 %r0, %r1, 3, %r2;"));
  EXPECT_FALSE(operands_differ_on_gpus(fns, "fns.b32 %r0, %r1, 3, -2147483647;"));
  EXPECT_TRUE(operands_differ_on_gpus(mul, "mul.f32 %f0, %r1, 0f3F800000;"));
  EXPECT_FALSE(operands_differ_on_gpus(mul, "mul.f32 %f0, %r1, 0f41200000;"));
}

// %t_ registers are copies that the instruction before made.
TEST(RandomKernelsForGpus, NegAndAbsOfMadeNumbers) {
  expect_none(R"(^(@\S+ )?(neg|abs)\.(ftz\.)?(f16|bf16|f16x2|bf16x2|f32|s16) .* %(?!t_)\S+;$)",
              R"(^(@\S+ )?(neg|abs)\.(ftz\.)?(f16|bf16|f16x2|bf16x2|f32|s16) )");
}

TEST(RandomKernelsForGpus, AmountsOfWideShiftsAreUnknownNumbers) {
  expect_none(R"(^(@\S+ )?sh[lr]\.[bsu]64 .* (%(?!t_)\S+|6[4-9]|[7-9]\d|\d{3,});$)",
              R"(^(@\S+ )?sh[lr]\.[bsu]64 .* %t_)");
}

TEST(RandomKernelsForGpus, PartsOfRegistersAreStoredFromCopies) {
  expect_none(R"(^(@\S+ )?st\.\S*[bsu]8 .*%(h|hs|hu|x|r|ru|rs|w|f)\d)", R"(^(@\S+ )?st\.\S*[bsu]8 .*%t_)");
  expect_none(R"(^(@\S+ )?st\.\S*[bsu]16 .*%(r|ru|rs|w|f)\d)", R"(^(@\S+ )?st\.\S*[bsu]16 .*%t_)");
}

TEST(RandomKernelsForGpus, VectorsOfNarrowValuesAreNotLoaded) {
  expect_none(R"(^(@\S+ )?ldu?\.\S*v[24]\.[bsu](8|16) )", R"(^(@\S+ )?ldu?\.\S*v[24]\.[bsu](32|64) )");
}

TEST(RandomKernelsForGpus, AreForOneThatIsTested) {
  bool others = false;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(generate(seed, true).text().find(".target sm_100"), std::string::npos) << seed;
    others |= generate(seed).text().find(".target sm_100") != std::string::npos;
  }
  EXPECT_TRUE(others);
}

TEST(RandomKernelsForGpus, AreInitialised) {
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_FALSE(reads_uninitialised(generate(seed, true).text())) << seed;
}

TEST(RandomKernelsForGpus, CpuEqualsInterpreter) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Comparison comparison = compare_with_interp(generate(seed, true).text(), run_on_cpu);
    EXPECT_EQ(comparison.verdict, Verdict::equal) << "seed " << seed << ": " << comparison.text;
  }
}

TEST(RandomKernelsForGpus, PtxasCompilesThem) {
  const auto ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << "ptxas is not installed: whether it crashes on kernels for GPUs is not tested";
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "kernel.ptx").string();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::string text = generate(seed, true).text();
    std::ofstream(file) << text;
    const int status = std::system(("timeout 60 " + *ptxas + " -arch=sm_90 -o /dev/null " + file).c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "seed " << seed << ": status " << status;
  }
}

}  // namespace
}  // namespace heddle::test::random_kernel
