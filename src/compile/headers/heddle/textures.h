// Textures and surfaces. Objects are read and written by functions; the references that CUDA had before version 12
// exist as types, so that programs parse, and using one is refused with a sentence.
#pragma once
#pragma clang system_header

#include "texture_functions.h"
#include "surface_functions.h"

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

#define __HEDDLE_NO_REFERENCE                                                                             \
  __attribute__((unavailable("Heddle does not run references to textures, which CUDA 12 no longer has: " \
                             "use a texture object (cudaCreateTextureObject)")))
#define __HEDDLE_REFERENCE(NAME)                                                         \
  template <typename T, int dimensions, cudaTextureReadMode mode, typename... Arguments> \
  __device__ T NAME(texture<T, dimensions, mode> object, Arguments...) __HEDDLE_NO_REFERENCE;
__HEDDLE_REFERENCE(tex1Dfetch)
__HEDDLE_REFERENCE(tex1D)
__HEDDLE_REFERENCE(tex2D)
__HEDDLE_REFERENCE(tex3D)
__HEDDLE_REFERENCE(tex1DLod)
__HEDDLE_REFERENCE(tex2DLod)
__HEDDLE_REFERENCE(tex3DLod)
__HEDDLE_REFERENCE(tex1DGrad)
__HEDDLE_REFERENCE(tex2DGrad)
__HEDDLE_REFERENCE(tex3DGrad)
__HEDDLE_REFERENCE(tex2Dgather)
__HEDDLE_REFERENCE(tex1DLayered)
__HEDDLE_REFERENCE(tex2DLayered)
__HEDDLE_REFERENCE(texCubemap)
#undef __HEDDLE_REFERENCE
#undef __HEDDLE_NO_REFERENCE

// Binding one fails.
template <typename T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(size_t*, texture<T, dimensions, mode>&, const void*, size_t = ~size_t(0)) {
  return cudaErrorNotSupported;
}
template <typename T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(texture<T, dimensions, mode>&, cudaArray_const_t) {
  return cudaErrorNotSupported;
}
template <typename T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaUnbindTexture(texture<T, dimensions, mode>&) {
  return cudaErrorNotSupported;
}
