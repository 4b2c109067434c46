// Arrays: images of one, two or three dimensions, or with layers, in a device's memory. Heddle keeps them row by row
// behind one another, on devices whose memory is the host's; GPUs have layouts of their own, and none here.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda_api/abi/driver.hpp"
#include "cuda_api/core/context.hpp"
#include "cuda_api/core/copy.hpp"
#include "heddle/texture.hpp"

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR descriptor = {};  // as it was asked for; of a level of detail, of that level
  heddle::Image image;
  void* memory = nullptr;  // null: that of the mipmapped array to which it belongs
  int device = 0, owner = 0;
};

struct CUmipmappedArray_st {
  CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
  heddle::Image image;
  void* memory = nullptr;
  int device = 0, owner = 0;
  std::vector<std::unique_ptr<CUarray_st>> levels;
};

namespace heddle::cuda_api {

// The device's textures. Throws cudaErrorNotSupported on devices that have none.
heddle::TextureTable& textures_of(const Context& context);

// Throws cudaErrorInvalidValue for sizes that there cannot be, cudaErrorMemoryAllocation, and as texel_format().
CUarray make_array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
// With so many levels of detail; as many as there can be, if `levels` is more.
CUmipmappedArray make_mipmapped_array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels);
// Waits for the device. Null is no array, which is allowed.
void destroy_array(CUarray array);
void destroy_array(CUmipmappedArray array);

// Throws cudaErrorInvalidResourceHandle for what is no array, or was destroyed.
CUarray_st& array_of(CUarray array);
CUmipmappedArray_st& array_of(CUmipmappedArray array);
// The level belongs to the mipmapped array. Throws cudaErrorInvalidValue.
CUarray level_of(CUmipmappedArray array, unsigned level);

// The context's arrays are gone, with its memory.
void forget_arrays(const Context& context);

// An end of a copy in an array: `x` counts bytes, `y` rows, `z` slices or layers. Throws cudaErrorInvalidValue for what
// is not within it.
BoxEnd end_in(const CUarray_st& array, std::size_t x, std::size_t y, std::size_t z, const BoxSize& size);
// `size` bytes from a place on, over the ends of rows.
void* part_of(const CUarray_st& array, std::size_t x, std::size_t y, std::size_t size);

// The same copy between memory at addresses: the runtime API counts in texels where an array takes part.
cudaMemcpy3DParms without_arrays(const cudaMemcpy3DParms& p);

}  // namespace heddle::cuda_api
