// Files that were cut off, as by a full disk or a transfer that ended early.
#include <gtest/gtest.h>

#include <string>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "support/places.hpp"

namespace heddle::ptx {
namespace {

class Truncation : public testing::TestWithParam<const char*> {};

const Function* find(const Module& module, const std::string& name) {
  for (const Function& function : module.functions)
    if (function.name == name) return &function;
  return nullptr;
}

// Cut off at any byte, a file is either refused, or has whole kernels alone.
TEST_P(Truncation, LeavesNoIncompleteKernel) {
  const std::string text = base::read_file(tests::test_data() / "data" / "ptx" / GetParam());
  const Module whole = parse(text, "k");
  std::size_t refused = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    Module part;
    try {
      part = parse(std::string_view(text).substr(0, length), "k");
    } catch (const Error&) {
      ++refused;
      continue;
    }
    for (const Function& function : part.functions) {
      const Function* const original = find(whole, function.name);
      ASSERT_NE(original, nullptr) << function.name << " of the first " << length << " bytes";
      ASSERT_FALSE(function.is_entry && function.is_declaration) << function.name << ", " << length << " bytes";
      if (function.is_declaration) continue;
      ASSERT_EQ(function.body.size(), original->body.size()) << function.name << ", " << length << " bytes";
    }
  }
  EXPECT_GT(refused, text.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Files, Truncation,
                         testing::Values("nvcc/textures.sm80.ptx", "nvcc/halves.sm80.ptx", "nvcc/matrix.sm80.ptx",
                                         "nvcc/warp.sm80.ptx", "nvcc/control.sm90.lineinfo.ptx"));

TEST(TruncationText, PrototypesOfKernelsEndWithASemicolon) {
  const std::string head = ".version 7.0\n.target sm_80\n.address_size 64\n";
  for (const char* cut : {".visible .entry", ".visible .entry k", ".visible .entry k(", ".visible .entry k()",
                          ".visible .entry k() .maxntid 32, 1, 1\n", ".visible .entry k() // {\n", ".func f",
                          ".extern .func (.param .b32 r) f(.param .b32 a)\n"})
    EXPECT_THROW(parse(head + cut, "k"), Error) << cut;
  EXPECT_EQ(parse(head + ".extern .func f();", "k").functions.size(), 1u);
  // nvcc 4 wrote no semicolon.
  EXPECT_EQ(parse(head + ".extern .func f() .visible .entry k() { ret; }", "k").functions.size(), 2u);
}

}  // namespace
}  // namespace heddle::ptx
