// cuLink: several PTX texts become one module.
#include <cstring>
#include <string>

#include "cuda_api/driver_support.hpp"

namespace heddle::tests {
namespace {

using DriverLink = Driver;

const char* const head = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string caller() {
  return std::string(head) + R"(
.extern .func (.param .b32 out) scale (.param .b32 x);
.extern .global .align 4 .u32 offset;
.visible .entry k(.param .u64 k_p)
{
  .reg .u64 %rd<2>; .reg .u32 %r<5>;
  ld.param.u64 %rd1, [k_p];
  ld.global.u32 %r1, [%rd1];
  { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r1;
    call.uni (r), scale, (a);
    ld.param.b32 %r2, [r]; }
  ld.global.u32 %r3, [offset];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%rd1], %r4;
  ret;
})";
}

std::string callee() {
  return std::string(head) + R"(
.visible .global .align 4 .u32 offset = 1000;
.visible .func (.param .b32 out) scale (.param .b32 x)
{
  .reg .u32 %r<3>;
  ld.param.b32 %r1, [x];
  mul.lo.u32 %r2, %r1, 3;
  st.param.b32 [out], %r2;
  ret;
})";
}

CUresult add(CUlinkState state, const std::string& text, const char* name, CUjitInputType type = CU_JIT_INPUT_PTX) {
  return cuLinkAddData_v2(state, type, const_cast<char*>(text.c_str()), text.size() + 1, name, 0, nullptr, nullptr);
}

TEST_F(DriverLink, FunctionsAndVariablesOfOtherTextsAreFound) {
  CUlinkState state = nullptr;
  ASSERT_CUDA(cuLinkCreate_v2(0, nullptr, nullptr, &state));
  EXPECT_CUDA(add(state, caller(), "caller.ptx"));
  EXPECT_CUDA(add(state, callee(), "callee.ptx"));
  void* image = nullptr;
  std::size_t size = 0;
  ASSERT_CUDA(cuLinkComplete(state, &image, &size));
  EXPECT_EQ(std::strlen(static_cast<const char*>(image)) + 1, size);
  CUmodule module = nullptr;
  ASSERT_CUDA(cuModuleLoadData(&module, image));
  EXPECT_CUDA(cuLinkDestroy(state));
  EXPECT_EQ(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
  CUdeviceptr p = allocate(4), offset = 0;
  EXPECT_CUDA(cuMemsetD32_v2(p, 7, 1));
  void* arguments[] = {&p};
  const CUfunction k = function(module, "k");
  EXPECT_CUDA(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(read(p, 1), std::vector<unsigned>{1021});
  ASSERT_CUDA(cuModuleGetGlobal_v2(&offset, nullptr, module, "offset"));
  EXPECT_CUDA(cuMemsetD32_v2(offset, 1, 1));
  EXPECT_CUDA(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(read(p, 1), std::vector<unsigned>{3064});
}

TEST_F(DriverLink, WhatIsWrongIsTold) {
  char errors[300] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
  CUlinkState state = nullptr;
  ASSERT_CUDA(cuLinkCreate_v2(2, options, values, &state));
  EXPECT_CUDA(add(state, caller(), "caller.ptx"));
  void* image = nullptr;
  EXPECT_NE(cuLinkComplete(state, &image, nullptr), CUDA_SUCCESS);
  EXPECT_NE(std::string(errors).find("scale"), std::string::npos) << errors;
  EXPECT_NE(std::string(errors).find("caller.ptx"), std::string::npos) << errors;
  values[1] = reinterpret_cast<void*>(sizeof errors);
  EXPECT_EQ(add(state, std::string(head) + ".visible .entry k() { what; }", "wrong.ptx"), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(errors).find("wrong.ptx:4"), std::string::npos) << errors;
  EXPECT_CUDA(cuLinkDestroy(state));
}

TEST_F(DriverLink, OnlyPtxIsLinked) {
  CUlinkState state = nullptr;
  ASSERT_CUDA(cuLinkCreate_v2(0, nullptr, nullptr, &state));
  void* image = nullptr;
  EXPECT_EQ(cuLinkComplete(state, &image, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(state,
                "\x7f"
                "ELF...",
                "cubin", CU_JIT_INPUT_CUBIN),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(add(state, "!<arch>", "library", CU_JIT_INPUT_LIBRARY), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, "/there/is/no/such.ptx", 0, nullptr, nullptr),
            CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(add(state, callee(), "callee", static_cast<CUjitInputType>(77)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuLinkDestroy(state));
}

// As much of libcudadevrt.a as says that it is.
std::string device_runtime_archive() {
  const std::string names = "cuda_device_runtime.o/\n";
  std::string header = "//";
  header.resize(48, ' ');
  header += std::to_string(names.size());
  header.resize(58, ' ');
  return "!<arch>\n" + header + "`\n" + names;
}

// In each of four rounds, block b writes its number and the round into p[b] and reads what its neighbour wrote.
std::string neighbours() {
  return std::string(head) + R"(
.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle (.param .b32 scope);
.extern .func (.param .b32 error) cudaCGSynchronize (.param .b64 handle, .param .b32 flags);
.visible .entry k(.param .u64 k_p, .param .u64 k_q)
{
  .reg .pred %more; .reg .u64 %rd<9>; .reg .u32 %r<9>;
  ld.param.u64 %rd1, [k_p];
  ld.param.u64 %rd2, [k_q];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  add.u32 %r3, %r1, 1;
  rem.u32 %r3, %r3, %r2;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd6, %rd1, %rd3;
  { .param .b32 scope; .param .b64 handle;
    st.param.b32 [scope], 1;
    call.uni (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %rd7, [handle]; }
  mov.u32 %r4, 0;
$round:
  mad.lo.u32 %r5, %r4, 100, %r1;
  st.global.u32 [%rd4], %r5;
  { .param .b64 handle; .param .b32 flags; .param .b32 error;
    st.param.b64 [handle], %rd7;
    st.param.b32 [flags], 0;
    call.uni (error), cudaCGSynchronize, (handle, flags); }
  ld.volatile.global.u32 %r6, [%rd6];
  { .param .b64 handle; .param .b32 flags; .param .b32 error;
    st.param.b64 [handle], %rd7;
    st.param.b32 [flags], 0;
    call.uni (error), cudaCGSynchronize, (handle, flags); }
  st.global.u32 [%rd5], %r6;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %more, %r4, 4;
  @%more bra $round;
  ret;
})";
}

class DriverLinkOfGrids : public DriverLink {
 protected:
  // The kernel of neighbours(), linked with the device runtime; null after a failure.
  CUfunction linked_with_device_runtime() {
    CUlinkState state = nullptr;
    EXPECT_CUDA(cuLinkCreate_v2(0, nullptr, nullptr, &state));
    EXPECT_CUDA(add(state, neighbours(), "neighbours.ptx"));
    EXPECT_CUDA(add(state, device_runtime_archive(), "libcudadevrt.a", CU_JIT_INPUT_LIBRARY));
    void* image = nullptr;
    EXPECT_CUDA(cuLinkComplete(state, &image, nullptr));
    const CUfunction made = image != nullptr ? function(load(static_cast<const char*>(image)), "k") : nullptr;
    EXPECT_CUDA(cuLinkDestroy(state));
    return made;
  }
};

TEST_F(DriverLinkOfGrids, SynchroniseWithTheDeviceRuntime) {
  const CUfunction k = linked_with_device_runtime();
  ASSERT_NE(k, nullptr);
  constexpr unsigned blocks = 6;
  CUdeviceptr p = allocate(4 * blocks), q = allocate(4 * blocks);
  void* arguments[] = {&p, &q};
  // One launch after the other: each has a workspace of zeros.
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_CUDA(cuMemsetD32_v2(q, 0, blocks));
    ASSERT_CUDA(cuLaunchCooperativeKernel(k, blocks, 1, 1, 64, 1, 1, 0, nullptr, arguments));
    EXPECT_EQ(read(q, blocks), (std::vector<unsigned>{301, 302, 303, 304, 305, 300}));
  }
}

TEST_F(DriverLinkOfGrids, DoNotSynchroniseWithoutACooperativeLaunch) {
  const CUfunction k = linked_with_device_runtime();
  ASSERT_NE(k, nullptr);
  CUdeviceptr p = allocate(8), q = allocate(8);
  void* arguments[] = {&p, &q};
  ASSERT_CUDA(cuLaunchKernel(k, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_NE(cuCtxSynchronize(), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::tests
