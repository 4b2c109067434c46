// Textures and surfaces: their types exist, so that programs parse; using one in a kernel is refused with a sentence.
#pragma once
#pragma clang system_header

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

// References to textures, as CUDA had them until version 11: binding one fails.
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
