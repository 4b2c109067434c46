#include "ptx/kernel_note.hpp"

#include <gtest/gtest.h>

namespace heddle::tests {
namespace {

using ptx::KernelNote;

TEST(KernelNote, NotesBehindPtxAreReadAsTheyWereWritten) {
  const KernelNote saxpy{"saxpy", {{"n", "int"}, {"x", "const float*"}, {"", "std::pair<int, float>"}}};
  const KernelNote one{"one", {{"y", "double*"}}};
  EXPECT_EQ(to_text(saxpy), "// heddle: saxpy(n: int, x: const float*, : std::pair<int, float>)\n");
  const std::string ptx = ".version 8.0\n// heddle: early(a: int)\nret;\n" + to_text(saxpy) + to_text(one);
  EXPECT_EQ(ptx::read_kernel_notes(ptx), (std::vector{saxpy, one}));
  EXPECT_EQ(ptx::read_kernel_notes(ptx + std::string("\r\n\0", 3)), (std::vector{saxpy, one}));
}

TEST(KernelNote, OtherCommentsAreNone) {
  for (const char* text : {"", "\n", "// heddle: ", "// heddle: k", "// heddle: (a: int)", "// heddle: k(a)",
                           "// heddle: k(a: int", "// a comment"})
    EXPECT_TRUE(ptx::read_kernel_notes(text).empty()) << text;
}

}  // namespace
}  // namespace heddle::tests
