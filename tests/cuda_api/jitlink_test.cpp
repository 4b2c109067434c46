// libnvJitLink: PTX is linked; what only NVIDIA's library can read is refused with a sentence.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

extern "C" {
struct nvJitLink;
int nvJitLinkCreate(nvJitLink**, unsigned, const char**);
int nvJitLinkDestroy(nvJitLink**);
int nvJitLinkAddData(nvJitLink*, int, const void*, std::size_t, const char*);
int __nvJitLinkAddData_12_4(nvJitLink*, int, const void*, std::size_t, const char*);
int nvJitLinkAddFile(nvJitLink*, int, const char*);
int nvJitLinkComplete(nvJitLink*);
int nvJitLinkGetLinkedCubinSize(nvJitLink*, std::size_t*);
int nvJitLinkGetLinkedCubin(nvJitLink*, void*);
int nvJitLinkGetErrorLogSize(nvJitLink*, std::size_t*);
int nvJitLinkGetErrorLog(nvJitLink*, char*);
int nvJitLinkVersion(unsigned*, unsigned*);
}

namespace heddle::tests {
namespace {

enum : int { success, unrecognized_option, missing_arch, invalid_input, ptx_compile };
enum : int { cubin = 1, ptx = 2, ltoir = 3, library = 6, any = 10 };

constexpr const char* kernel = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 out) twice (.param .b32 x);
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r1;
    call.uni (r), twice, (a);
    ld.param.b32 %r2, [r]; }
  st.global.u32 [%rd1], %r2;
  ret;
})";
constexpr const char* helper = R"(.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 out) twice (.param .b32 x)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [out], %r2;
  ret;
})";

class JitLink : public testing::Test {
 protected:
  void SetUp() override {
    const char* options[] = {"-arch=sm_80", "-lineinfo"};
    ASSERT_EQ(nvJitLinkCreate(&link, 2, options), success);
  }
  void TearDown() override {
    EXPECT_EQ(nvJitLinkDestroy(&link), success);
    EXPECT_EQ(link, nullptr);
  }
  std::string log() {
    std::size_t size = 0;
    EXPECT_EQ(nvJitLinkGetErrorLogSize(link, &size), success);
    std::string text(size, '?');
    EXPECT_EQ(nvJitLinkGetErrorLog(link, text.data()), success);
    return text.c_str();
  }
  nvJitLink* link = nullptr;
};

TEST_F(JitLink, TextsBecomeOne) {
  ASSERT_EQ(nvJitLinkAddData(link, ptx, kernel, std::strlen(kernel) + 1, "kernel"), success);
  ASSERT_EQ(__nvJitLinkAddData_12_4(link, any, helper, std::strlen(helper), "helper"), success);
  std::size_t size = 0;
  EXPECT_EQ(nvJitLinkGetLinkedCubinSize(link, &size), invalid_input) << "before the link is complete";
  ASSERT_EQ(nvJitLinkComplete(link), success) << log();
  ASSERT_EQ(nvJitLinkGetLinkedCubinSize(link, &size), success);
  std::string text(size, '?');
  ASSERT_EQ(nvJitLinkGetLinkedCubin(link, text.data()), success);
  EXPECT_EQ(text.back(), '\0');
  EXPECT_NE(text.find(".entry k"), text.npos);
  EXPECT_EQ(text.find(".extern .func"), text.npos);
  // It may be an input of the next link, by the type that programs give it.
  const char* options[] = {"-arch=sm_80"};
  nvJitLink* next = nullptr;
  ASSERT_EQ(nvJitLinkCreate(&next, 1, options), success);
  EXPECT_EQ(nvJitLinkAddData(next, cubin, text.data(), text.size(), nullptr), success);
  EXPECT_EQ(nvJitLinkComplete(next), success);
  EXPECT_EQ(nvJitLinkDestroy(&next), success);
}

// What NVIDIA's has as machine code.
TEST_F(JitLink, TheDeviceRuntimeIsHeddles) {
  const std::string caller = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle (.param .b32 scope);
.visible .entry k(.param .u64 p)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  { .param .b32 scope; .param .b64 handle;
    st.param.b32 [scope], 1;
    call.uni (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %rd2, [handle]; }
  st.global.u64 [%rd1], %rd2;
  ret;
})";
  std::string header = "//", names = "cuda_device_runtime.o/\n";
  header.resize(48, ' ');
  header += std::to_string(names.size());
  header.resize(58, ' ');
  const std::string archive = "!<arch>\n" + header + "`\n" + names;
  ASSERT_EQ(nvJitLinkAddData(link, ptx, caller.data(), caller.size(), "caller"), success);
  ASSERT_EQ(nvJitLinkAddData(link, library, archive.data(), archive.size(), "libcudadevrt.a"), success) << log();
  EXPECT_EQ(nvJitLinkComplete(link), success) << log();
}

TEST_F(JitLink, MistakesAreSaid) {
  ASSERT_EQ(nvJitLinkAddData(link, ptx, kernel, std::strlen(kernel), "kernel"), success);
  EXPECT_EQ(nvJitLinkComplete(link), ptx_compile);
  EXPECT_NE(log().find("twice"), std::string::npos) << log();
  EXPECT_EQ(nvJitLinkAddData(link, ptx, nullptr, 3, "nothing"), invalid_input);
  EXPECT_EQ(nvJitLinkAddFile(link, ptx, "/no/such/file.ptx"), invalid_input);
  EXPECT_NE(log().find("/no/such/file.ptx"), std::string::npos) << log();
}

TEST_F(JitLink, OtherCodeIsRefused) {
  const std::string machine_code =
                        "\x7f"
                        "ELF machine code",
                    optimising =
                        "\xED\x43\x4E\x7F"
                        "code";
  EXPECT_EQ(nvJitLinkAddData(link, cubin, machine_code.data(), machine_code.size(), "a.cubin"), invalid_input);
  EXPECT_NE(log().find("machine code"), std::string::npos) << log();
  EXPECT_EQ(nvJitLinkAddData(link, ltoir, optimising.data(), optimising.size(), "a.ltoir"), invalid_input);
  EXPECT_NE(log().find("LTO-IR"), std::string::npos) << log();
}

TEST(JitLinkOptions, AreChecked) {
  nvJitLink* link = nullptr;
  const char* unknown[] = {"-arch=sm_80", "-frobnicate"};
  EXPECT_EQ(nvJitLinkCreate(&link, 2, unknown), unrecognized_option);
  const char* none[] = {"-O3"};
  EXPECT_EQ(nvJitLinkCreate(&link, 1, none), missing_arch);
  EXPECT_EQ(nvJitLinkCreate(nullptr, 0, nullptr), invalid_input);
  EXPECT_EQ(link, nullptr);
  EXPECT_EQ(nvJitLinkDestroy(&link), invalid_input);
  unsigned major = 0, minor = 0;
  EXPECT_EQ(nvJitLinkVersion(&major, &minor), success);
  EXPECT_EQ(major, 12u);
}

}  // namespace
}  // namespace heddle::tests
