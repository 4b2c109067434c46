// Textures and surfaces: their types exist, so that programs parse; using one in a kernel is refused with a sentence.
#pragma once
#pragma clang system_header

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03

struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
};
template <typename T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {};
template <typename T, int dimensions = cudaSurfaceType1D>
struct surface {};

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

#define __HEDDLE_NO_TEXTURE \
  __attribute__((unavailable("Heddle does not run textures and surfaces: pass a pointer and index it")))
#define __HEDDLE_TEXTURE(NAME)                                                            \
  template <typename T, typename... Arguments>                                            \
  __device__ T NAME(cudaTextureObject_t object, Arguments...) __HEDDLE_NO_TEXTURE;        \
  template <typename T, int dimensions, cudaTextureReadMode mode, typename... Arguments>  \
  __device__ T NAME(texture<T, dimensions, mode> object, Arguments...) __HEDDLE_NO_TEXTURE;
__HEDDLE_TEXTURE(tex1Dfetch)
__HEDDLE_TEXTURE(tex1D)
__HEDDLE_TEXTURE(tex2D)
__HEDDLE_TEXTURE(tex3D)
__HEDDLE_TEXTURE(tex1DLod)
__HEDDLE_TEXTURE(tex2DLod)
__HEDDLE_TEXTURE(tex3DLod)
__HEDDLE_TEXTURE(tex1DGrad)
__HEDDLE_TEXTURE(tex2DGrad)
__HEDDLE_TEXTURE(tex3DGrad)
__HEDDLE_TEXTURE(tex2Dgather)
__HEDDLE_TEXTURE(tex1DLayered)
__HEDDLE_TEXTURE(tex2DLayered)
__HEDDLE_TEXTURE(texCubemap)
#undef __HEDDLE_TEXTURE
#define __HEDDLE_SURFACE(NAME)                                                              \
  template <typename T, typename... Arguments>                                              \
  __device__ T NAME##read(cudaSurfaceObject_t object, Arguments...) __HEDDLE_NO_TEXTURE;    \
  template <typename T, typename... Arguments>                                              \
  __device__ void NAME##read(T* value, cudaSurfaceObject_t object, Arguments...) __HEDDLE_NO_TEXTURE; \
  template <typename T, typename... Arguments>                                              \
  __device__ void NAME##write(T value, Arguments...) __HEDDLE_NO_TEXTURE;
__HEDDLE_SURFACE(surf1D)
__HEDDLE_SURFACE(surf2D)
__HEDDLE_SURFACE(surf3D)
__HEDDLE_SURFACE(surf1DLayered)
__HEDDLE_SURFACE(surf2DLayered)
#undef __HEDDLE_SURFACE
#undef __HEDDLE_NO_TEXTURE

extern "C" cudaError_t __heddle_bind_texture(textureReference* texture, const void* p, __SIZE_TYPE__ size);
template <typename T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(__SIZE_TYPE__*, texture<T, dimensions, mode>& t, const void* p, __SIZE_TYPE__ size = ~0ull) {
  return __heddle_bind_texture(&t, p, size);
}
template <typename T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(texture<T, dimensions, mode>& t, cudaArray_const_t a) {
  return __heddle_bind_texture(&t, a, 0);
}
template <typename T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaUnbindTexture(texture<T, dimensions, mode>& t) {
  return __heddle_bind_texture(&t, nullptr, 0);
}
