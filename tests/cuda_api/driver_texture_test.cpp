// Arrays, textures and surfaces in the driver API: objects, references of modules, copies, and what is refused.
#include <array>
#include <cstring>
#include <vector>

#include "cuda_api/driver_support.hpp"

namespace heddle::tests {
namespace {

const char* const texture_ptx = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.global .texref bound;
.global .surfref target;

.visible .entry by_object(.param .u64 p_out, .param .u64 p_texture) {
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_texture];
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f1, %r1;
  tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd2, {%f1, 0f3F800000}];
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
}

// Copies the texture to the surface.
.visible .entry by_reference() {
  .reg .b32 %r<8>;
  mov.u32 %r1, %tid.x;
  shl.b32 %r6, %r1, 2;
  tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [bound, {%r1}];
  sust.b.1d.b32.trap [target, {%r6}], %r2;
  ret;
}
)ptx";

CUDA_ARRAY3D_DESCRIPTOR words(std::size_t width, std::size_t height, std::size_t depth = 0, unsigned flags = 0) {
  return {width, height, depth, CU_AD_FORMAT_UNSIGNED_INT32, 1, flags};
}

class DriverTexture : public Driver {
 protected:
  static CUarray make(const CUDA_ARRAY3D_DESCRIPTOR& p) {
    CUarray array = nullptr;
    EXPECT_CUDA(cuArray3DCreate_v2(&array, &p));
    return array;
  }
  static CUDA_RESOURCE_DESC resource(CUarray array) {
    CUDA_RESOURCE_DESC p = {};
    p.resType = CU_RESOURCE_TYPE_ARRAY;
    p.res.array.hArray = array;
    return p;
  }
  static void run(CUfunction function, std::vector<void*> arguments, unsigned threads) {
    EXPECT_CUDA(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, arguments.data(), nullptr));
    EXPECT_CUDA(cuCtxSynchronize());
  }
};

TEST_F(DriverTexture, ObjectsReadArrays) {
  const CUarray array = make(words(4, 3));
  const std::array<unsigned, 12> texels = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 16;
  copy.Height = 3;
  ASSERT_CUDA(cuMemcpy2D_v2(&copy));
  copy.Height = 4;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);

  const CUDA_RESOURCE_DESC from = resource(array);
  CUDA_TEXTURE_DESC desc = {};
  for (CUaddress_mode& mode : desc.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  desc.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  ASSERT_CUDA(cuTexObjectCreate(&texture, &from, &desc, nullptr));
  CUdeviceptr out = allocate(24);
  run(function(load(texture_ptx), "by_object"), {&out, &texture}, 6);
  EXPECT_EQ(read(out, 6), (std::vector<unsigned>{10, 11, 12, 13, 13, 13}));

  CUDA_TEXTURE_DESC reported = {};
  EXPECT_CUDA(cuTexObjectGetTextureDesc(&reported, texture));
  EXPECT_EQ(reported.flags, desc.flags);
  CUDA_RESOURCE_DESC source = {};
  EXPECT_CUDA(cuTexObjectGetResourceDesc(&source, texture));
  EXPECT_EQ(source.res.array.hArray, array);
  CUDA_RESOURCE_VIEW_DESC view = {};
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(&view, texture), CUDA_ERROR_INVALID_VALUE);
  // It ends after the launches that read it.
  std::vector<void*> arguments = {&out, &texture};
  const CUfunction by_object = function(load(texture_ptx), "by_object");
  for (int i = 0; i < 200; ++i)
    EXPECT_CUDA(cuLaunchKernel(by_object, 1, 1, 1, 6, 1, 1, 0, nullptr, arguments.data(), nullptr));
  EXPECT_CUDA(cuTexObjectDestroy(texture));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuArrayDestroy(array));
  EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverTexture, ReferencesOfModulesAreBound) {
  const CUmodule module = load(texture_ptx);
  CUtexref reference = nullptr;
  CUsurfref target = nullptr;
  ASSERT_CUDA(cuModuleGetTexRef(&reference, module, "bound"));
  ASSERT_CUDA(cuModuleGetSurfRef(&target, module, "target"));
  CUtexref none = nullptr;
  EXPECT_EQ(cuModuleGetTexRef(&none, module, "absent"), CUDA_ERROR_NOT_FOUND);
  const CUdeviceptr memory = allocate(16);
  const std::array<unsigned, 4> values = {7, 8, 9, 10};
  ASSERT_CUDA(cuMemcpyHtoD_v2(memory, values.data(), 16));
  EXPECT_CUDA(cuTexRefSetFormat(reference, CU_AD_FORMAT_UNSIGNED_INT32, 1));
  EXPECT_CUDA(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER));
  std::size_t offset = 1;
  EXPECT_CUDA(cuTexRefSetAddress_v2(&offset, reference, memory, 16));
  EXPECT_EQ(offset, 0u);
  const CUarray array = make(words(6, 0, 0, 2));
  EXPECT_CUDA(cuSurfRefSetArray(target, array, 0));
  run(function(module, "by_reference"), {}, 6);
  std::array<unsigned, 6> got = {};
  EXPECT_CUDA(cuMemcpyAtoH_v2(got.data(), array, 0, 24));
  EXPECT_EQ(got, (std::array<unsigned, 6>{7, 8, 9, 10, 0, 0}));
  CUdeviceptr reported = 0;
  EXPECT_CUDA(cuTexRefGetAddress_v2(&reported, reference));
  EXPECT_EQ(reported, memory);
  CUarray held = nullptr;
  EXPECT_CUDA(cuSurfRefGetArray(&held, target));
  EXPECT_EQ(held, array);
}

TEST_F(DriverTexture, ABoxGoesToAnArrayAndBack) {
  const CUarray array = make(words(3, 2, 2));
  std::array<unsigned, 12> texels, back = {};
  for (unsigned i = 0; i < 12; ++i) texels[i] = 100 + i;
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.srcPitch = 12;
  copy.srcHeight = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 12;
  copy.Height = copy.Depth = 2;
  ASSERT_CUDA(cuMemcpy3D_v2(&copy));
  CUDA_MEMCPY3D part = {};  // without the first column and the first slice
  part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  part.srcArray = array;
  part.srcXInBytes = 4;
  part.srcZ = 1;
  part.dstMemoryType = CU_MEMORYTYPE_HOST;
  part.dstHost = back.data();
  part.dstPitch = 8;
  part.WidthInBytes = 8;
  part.Height = 2;
  part.Depth = 1;
  ASSERT_CUDA(cuMemcpy3D_v2(&part));
  EXPECT_EQ((std::vector<unsigned>(back.begin(), back.begin() + 4)), (std::vector<unsigned>{107, 108, 110, 111}));
}

TEST_F(DriverTexture, LevelsBelongToTheirArray) {
  CUmipmappedArray all = nullptr;
  const CUDA_ARRAY3D_DESCRIPTOR p = words(8, 4);
  ASSERT_CUDA(cuMipmappedArrayCreate(&all, &p, 100));
  CUarray level = nullptr;
  ASSERT_CUDA(cuMipmappedArrayGetLevel(&level, all, 2));
  CUDA_ARRAY3D_DESCRIPTOR reported = {};
  EXPECT_CUDA(cuArray3DGetDescriptor_v2(&reported, level));
  EXPECT_EQ(reported.Width, 2u);
  EXPECT_EQ(reported.Height, 1u);
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, all, 4), CUDA_ERROR_INVALID_VALUE);  // 8, 4, 2, 1
  EXPECT_EQ(cuArrayDestroy(level), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMipmappedArrayDestroy(all));
}

TEST_F(DriverTexture, WhatMakesNoSenseIsAnError) {
  CUarray array = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR p = words(4, 4);
  p.NumChannels = 3;
  EXPECT_NE(cuArray3DCreate_v2(&array, &p), CUDA_SUCCESS);
  p = words(0, 4);
  EXPECT_EQ(cuArray3DCreate_v2(&array, &p), CUDA_ERROR_INVALID_VALUE);
  p = words(4, 3, 6, 4);  // a cube
  EXPECT_EQ(cuArray3DCreate_v2(&array, &p), CUDA_ERROR_INVALID_VALUE);
  p = words(4, 4);
  p.Format = CU_AD_FORMAT_BC1_UNORM;
  EXPECT_EQ(cuArray3DCreate_v2(&array, &p), CUDA_ERROR_NOT_SUPPORTED);
  const CUDA_RESOURCE_DESC from = resource(make(words(4, 4)));
  CUsurfObject surface = 0;
  EXPECT_EQ(cuSurfObjectCreate(&surface, &from), CUDA_ERROR_INVALID_VALUE);  // not made for it
  CUDA_TEXTURE_DESC desc = {};
  desc.filterMode = CU_TR_FILTER_MODE_LINEAR;  // integers of 32 bits
  CUtexObject texture = 0;
  EXPECT_EQ(cuTexObjectCreate(&texture, &from, &desc, nullptr), CUDA_ERROR_INVALID_VALUE);
  int width = 0;
  EXPECT_CUDA(cuDeviceGetAttribute(&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, device));
  EXPECT_EQ(width, 131072);
}

}  // namespace
}  // namespace heddle::tests
