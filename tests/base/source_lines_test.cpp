// Lines of this program itself, where it has debug information.
#include "base/source_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/caller_place.hpp"

namespace heddle::base {
namespace {

TEST(SourceLines, NothingIsKnownOfWhatIsNoProgram) {
  EXPECT_TRUE(source_lines("/nonexistent", 0x1000).empty());
  EXPECT_TRUE(source_lines("/dev/null", 0x1000).empty());
  EXPECT_TRUE(source_lines("-e", 0x1000).empty());
}

TEST(SourceLines, HeadersOfLibraries) {
  for (const char* file :
       {"/usr/include/c++/12/bits/unique_ptr.h", "/usr/lib/gcc/x86_64-linux-gnu/12/../../include/c++/12/bits/move.h",
        "/usr/local/cuda-12.4/include/cuda_runtime.h", "/opt/cuda/targets/x86_64-linux/include/cuda_runtime_api.h",
        "/opt/llvm/lib/clang/19/include/cuda_wrappers/new",
        "/home/me/.cache/heddle/headers/959051d1368f113c/heddle/runtime_forms.h",
        "/tmp/tmpxft_0000_00000000-6_a.cudafe1.stub.c"})
    EXPECT_TRUE(is_library_source(file)) << file;
  for (const char* file : {"/home/me/a.cu", "a.cu", "/home/me/headers/a.h", "/home/me/headers/0123456789abcdeg/a.h",
                           "/home/usr/include.cu", "", "/headers/"})
    EXPECT_FALSE(is_library_source(file)) << file;
}

// The test is linked with Heddle's code, so that the caller is the program in which both lie.
TEST(SourceLines, ACallHasALine) {
  const CallerPlace place = caller_place();
  ASSERT_FALSE(place.empty());
  const std::string text = place.text();
  EXPECT_THAT(text, testing::HasSubstr("base_test+0x"));
  EXPECT_EQ(place.text(), text);
  EXPECT_TRUE(CallerPlace().text().empty());
}

}  // namespace
}  // namespace heddle::base
