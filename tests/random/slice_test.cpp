#include "random/slice.hpp"

#include <gtest/gtest.h>

#include <string>

#include "heddle/error.hpp"

namespace heddle::test::random_kernel {
namespace {

// Thread 1 of block 1 writes element 5; thread 0 of block 0 is the last to write element 0.
constexpr const char* kernel = R"(//: launch k grid 2 block 4
//: arg words u32[8] = iota 100 1
//: arg out u32[8]
//: expect out same-as interp
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 words, .param .u64 out)
{
  .reg .b32 %t, %b, %i, %x, %y, %z, %all;
  .reg .b64 %words, %out, %zero;
  .reg .pred %p, %q;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mad.lo.u32 %i, %b, 4, %t;
  ld.param.u64 %words, [words];
  ld.param.u64 %zero, [out];
  mad.wide.u32 %words, %i, 4, %words;
  mad.wide.u32 %out, %i, 4, %zero;
  ld.global.u32 %x, [%words];
  mul.lo.u32 %z, %x, 7;
  mov.u32 %y, 1;
  setp.eq.u32 %p, %t, 1;
  @%p add.u32 %y, %x, 3;
  @!%p add.u32 %y, %z, 3;
  vote.sync.ballot.b32 %all, %p, 0xf;
  xor.b32 %y, %y, %all;
  bar.red.popc.u32 %z, 0, %p;
  add.u32 %y, %y, %z;
  st.global.u32 [%out], %y;
  setp.ne.u32 %q, %i, 4;
  @%q bra end;
  st.global.u32 [%zero], 9;
end:
  ret;
}
)";

TEST(Slice, FollowsRegistersBackToLoads) {
  const std::string text = slice(kernel, "out[5]");
  EXPECT_NE(text.find("thread 1 of block (1, 0, 0)"), std::string::npos) << text;
  for (const char* line : {"ld.global.u32 %x, [%words]", "%x = 0x69", "%p = 0x1", "@%p add.u32 %y, %x, 3", "%y = 0x6c",
                           "%all = 0x2", "%y = 0x6e", "%z = 0x1", "%y = 0x6f", "st.global.u32 [%out], %y"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  // Not executed, not needed, overwritten.
  for (const char* line : {"@!%p add.u32", "mul.lo.u32", "mov.u32 %y, 1", "setp.ne.u32 %q"})
    EXPECT_EQ(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(Slice, NamesTheLastWriter) {
  const std::string text = slice(kernel, "out[0]");
  EXPECT_NE(text.find("thread 0 of block (1, 0, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("st.global.u32 [%zero], 9"), std::string::npos) << text;
}

TEST(Slice, RefusesWhatIsNotThere) {
  for (const char* element : {"nothing[0]", "out", "out[8]"}) try {
      slice(kernel, element);
      ADD_FAILURE() << element;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << element;
    }
  try {
    slice(kernel, "words[0]");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
  }
}

}  // namespace
}  // namespace heddle::test::random_kernel
