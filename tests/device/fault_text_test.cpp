// Places and causes of faults, from PTX as compilers write it.
#include "device/fault_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/launch_check.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

namespace heddle::device {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* source = R"ptx(
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 pool[];
.shared .align 4 .b8 fixed[16];
.func leaf() { .loc 2 35 1
  ret; }
.func through() { .reg .b32 %r<2>; call leaf, (); mov.u32 %r1, pool; ret; }
.visible .entry copies() {
  .reg .b32 %r<4>;
  .loc 1 0 1
  mov.u32 %r1, fixed;
  .loc 1 4 47
  mov.u32 %r1, 1;
  .loc 1 0 47
  mov.u32 %r2, 2;
  .loc 2 7 3, function_name $L__info_string0, inlined_at 1 9 5
  mov.u32 %r3, 3;
  ret;
}
.visible .entry twice() {
  .loc 1 20 1
  call leaf, ();
  .loc 1 22 1
  call leaf, ();
  ret;
}
.visible .entry dynamic() {
  .loc 1 30 1
  call through, ();
  ret;
}
.file 1 "/home/ren\303\251/\346\227\245/k.cu"
.file 2 "head\\er \"x\"\011.h"
)ptx";

class FaultText : public testing::Test {
 protected:
  const ptx::Function& function(const char* name) const { return *module_.find(name); }
  std::string place(const char* name, std::size_t instruction) const {
    return source_place(module_, function(name), function(name).body.at(instruction).where.loc);
  }
  const ptx::Module module_ = ptx::parse(source, "k.ptx");
};

TEST_F(FaultText, PathsAreShownAsTheyAre) { EXPECT_EQ(place("copies", 1), "/home/ren\xc3\xa9/\xe6\x97\xa5/k.cu:4"); }

TEST_F(FaultText, ControlCharactersStayEscaped) {
  EXPECT_THAT(place("copies", 3), HasSubstr("head\\er \"x\"\\011.h:7"));
}

TEST_F(FaultText, LineZeroIsNearTheLineBefore) {
  EXPECT_EQ(place("copies", 2), "near /home/ren\xc3\xa9/\xe6\x97\xa5/k.cu:4");
  EXPECT_EQ(place("copies", 0), "/home/ren\xc3\xa9/\xe6\x97\xa5/k.cu");
}

TEST_F(FaultText, InlinedCodeSaysWhere) { EXPECT_THAT(place("copies", 3), HasSubstr(".h:7, inlined at /home/ren")); }

TEST_F(FaultText, CallsAreFoundFromTheKernelOn) {
  EXPECT_THAT(call_places(module_, function("twice"), function("leaf")),
              AllOf(HasSubstr("k.cu:20 or "), HasSubstr("k.cu:22")));
  EXPECT_EQ(call_places(module_, function("dynamic"), function("leaf")), "PTX line 9");
  EXPECT_EQ(call_places(module_, function("copies"), function("leaf")), "");
}

TEST_F(FaultText, DynamicSharedMemoryIsSeenThroughCalls) {
  EXPECT_THAT(dynamic_shared_hint(module_, function("dynamic"), 0), HasSubstr("the launch gave it 0 bytes"));
  EXPECT_THAT(dynamic_shared_hint(module_, function("dynamic"), 1), HasSubstr("the launch gave it 1 byte"));
  EXPECT_EQ(dynamic_shared_hint(module_, function("copies"), 0), "");
}

TEST(LaunchCheck, ModulesOf32BitsAreRefused) {
  for (const char* text : {".version 8.0 .target sm_80 .address_size 32", ".version 1.4 .target sm_13"}) {
    try {
      check_module(ptx::parse(text, "k.ptx"), "the toaster");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("32 bits"), HasSubstr("the toaster runs 64-bit modules only")));
    }
  }
}

}  // namespace
}  // namespace heddle::device
