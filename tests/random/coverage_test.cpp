// What random kernels consist of (docs/testing.md has the list), and what they leave to other tests.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/form_table.hpp"
#include "random/program.hpp"
#include "support/places.hpp"

namespace heddle::test::random_kernel {
namespace {

constexpr std::uint64_t seeds = 200;

struct Feature {
  const char* name;
  const char* pattern;  // of a kernel that has it
  unsigned least;       // so many of the kernels
};
constexpr Feature features[] = {
    {"8-bit integers", R"(\.[us]8[ .])", 30},
    {"16-bit integers", R"((add|sub|mul|mad|min|max|shl|shr)[.a-z]*\.[usb]16 )", 50},
    {"32-bit integers", R"((add|sub|mul|mad|min|max)[.a-z]*\.[us]32 )", 190},
    {"64-bit integers", R"((add|sub|mul|mad|min|max)[.a-z]*\.[us]64 )", 190},
    {"f16", R"((add|sub|mul|fma|min|max|neg|abs|setp|set|cvt)[.a-z0-9]*\.f16 )", 30},
    {"f16x2", R"((add|sub|mul|fma|min|max|neg|abs|set|setp)[.a-z0-9]*\.f16x2 )", 20},
    {"bf16", R"((add|sub|mul|fma|min|max|neg|abs|setp|set|cvt)[.a-z0-9]*\.bf16(x2)?[ .])", 30},
    {"f32", R"((add|sub|mul|fma|div|rcp|sqrt|min|max)[.a-z]*\.f32 )", 75},
    {"f64", R"((add|sub|mul|fma|div|rcp|sqrt|min|max)[.a-z]*\.f64 )", 50},
    {"conversions", R"(cvt[.a-z0-9]* )", 195},
    {"carry chains", R"((addc|subc|madc)[.a-z0-9]* )", 40},
    {"shared memory", R"((ld|st)\.shared[.a-z0-9]* )", 190},
    {"local memory", R"(ld\.local[.a-z0-9]* )", 30},
    {"structures as parameters", R"(\.param \.align \d+ \.b8 )", 70},
    {"empty structures", R"(\.param \.align 1 \.b8 \w+\[1\])", 10},
    {"structures aligned to 128 bytes", R"(\.param \.align 128 )", 15},
    {"fields of structures", R"(ld\.param[.a-z0-9]* [^,]*, \[structure_\d\+\d+\])", 70},
    {"computed places in structures", R"(ld\.param[.a-z0-9]* [^,]*, \[%)", 10},
    {"generic addresses of structures", R"(cvta\.param)", 3},
    {"constant memory", R"(ld\.const[.a-z0-9]* )", 30},
    {"generic addresses", R"((ld|st)\.[bus](8|16|32|64) \[?)", 30},
    {"vectors in memory", R"(ld[.a-z]*\.v[24]\.)", 30},
    {"asynchronous copies", R"(cp\.async\.c[ag]\.)", 20},
    {"barriers", R"((bar|barrier)\.sync )", 40},
    {"barriers that reduce", R"(bar\.red\.)", 12},
    {"barriers that some only arrive at", R"((bar|barrier)\.arrive )", 2},
    {"fences", R"((fence|membar)\.)", 15},
    {"shuffles", R"(shfl\.sync\.)", 12},
    {"votes", R"(vote\.sync\.)", 25},
    {"match and redux", R"((match|redux)[.a-z]*\.sync)", 7},
    {"atomics in shared memory", R"((atom|red)[.a-z_]*\.shared\.)", 30},
    {"atomics in global memory", R"((atom|red)[.a-z_]*\.global\.)", 50},
    {"atomics with order and scope",
     R"((atom|red)\.(relaxed|acquire|release|acq_rel)\.(cta|gpu|sys)[.a-z]*\.(add|min|max|and|or|xor|inc))", 30},
    {"64-bit atomics", R"((atom|red)[.a-z_]*\.[usb]64 )", 30},
    {"numbers drawn from a counter", R"(atom[.a-z_]*\.shared\.(add|inc)\.u32 %t_b32_\d+, \[%t_b32_\d+\], (1|0xffff);)",
     8},
    {"loops", R"(\bhead_\d+:)", 50},
    {"loops that lanes leave in different turns", R"(head_\d+:\n  setp[^\n]*\n  @[!%])", 20},
    {"switches", R"(brx\.idx)", 30},
    {"calls", R"(call(\.uni)? )", 30},
    {"calls through pointers", R"(\.callprototype)", 2},
    {"lanes that end early", R"(@%?\S+ (ret|exit);)", 2},
    {"grids in three dimensions", R"(launch k grid \d+ \d+ [2-9])", 15},
    {"blocks in three dimensions", R"(block \d+ \d+ [2-9])", 20},
    {"ranges of blocks", R"(launch k [^\n]* blocks )", 10},
};

const std::vector<std::string>& kernels() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts;
    texts.reserve(seeds);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) texts.push_back(generate(seed).text());
    return texts;
  }();
  return all;
}

TEST(RandomKernelCoverage, EveryFeatureIsInManyKernels) {
  for (const Feature& feature : features) {
    const std::regex pattern(feature.pattern);
    unsigned count = 0;
    for (const std::string& text : kernels()) count += std::regex_search(text, pattern);
    std::printf("%-45s in %3u of %llu kernels\n", feature.name, count, static_cast<unsigned long long>(seeds));
    EXPECT_GE(count, feature.least) << feature.name;
  }
}

// Their results are within an error, not the same to the bit.
TEST(RandomKernelCoverage, ApproximateInstructionsAreLeftOut) {
  const std::regex pattern(R"(\.(approx|full)\b)");
  for (std::size_t seed = 0; seed < kernels().size(); ++seed)
    EXPECT_FALSE(std::regex_search(kernels()[seed], pattern)) << "seed " << seed;
}

// "ex2.approx.ftz?.(f16|f32) d, a" as {"ex2.approx.f16", "ex2.approx.f32", "ex2.approx.ftz.f16", ...}
std::vector<std::string> mnemonics(const std::string& form) {
  static const std::regex part(R"((\.?)(?:\(([^)]*)\)|([^.(?]+))(\??))");
  const std::string text = form.substr(0, form.find(' '));
  std::vector<std::string> all = {""};
  for (std::sregex_iterator match(text.begin(), text.end(), part), end; match != end; ++match) {
    std::vector<std::string> choices, longer;
    if ((*match)[4].length() > 0) choices.push_back("");
    std::istringstream alternatives((*match)[(*match)[2].matched ? 2 : 3].str());
    for (std::string choice; std::getline(alternatives, choice, '|');) choices.push_back((*match)[1].str() + choice);
    for (const std::string& start : all)
      for (const std::string& choice : choices) longer.push_back(start + choice);
    all = std::move(longer);
  }
  return all;
}

TEST(RandomKernelCoverage, FormsAreSpelledOut) {
  EXPECT_EQ(mnemonics("ex2.approx.ftz?.(f16|f32) d, a"),
            (std::vector<std::string>{"ex2.approx.f16", "ex2.approx.f32", "ex2.approx.ftz.f16", "ex2.approx.ftz.f32"}));
}

// What they leave out has cases of its own, with the errors that PTX states: tests/data/run/arithmetic/approximate.ptx.
TEST(RandomKernelCoverage, ApproximateInstructionsHaveCasesOfTheirOwn) {
  std::ifstream file(tests::test_data() / "data/run/arithmetic/approximate.ptx");
  std::ostringstream cases;
  cases << file.rdbuf();
  unsigned count = 0;
  for (const ptx::FormFamily* family : ptx::form_families())
    for (const ptx::Form& form : family->forms) {
      const std::string suffixes(form.suffixes);
      const bool approximate =
          suffixes.find(".approx") != std::string::npos || suffixes.find(".full") != std::string::npos;
      if (!approximate) continue;
      for (const std::string& mnemonic : mnemonics(suffixes)) {
        ++count;
        EXPECT_NE(cases.str().find(" " + mnemonic + " "), std::string::npos) << mnemonic << " has no case";
      }
    }
  EXPECT_GE(count, 25u);
}

}  // namespace
}  // namespace heddle::test::random_kernel
