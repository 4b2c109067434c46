// The formats of arrays, textures and surfaces, as the driver API, the runtime API and devices name them.
#pragma once

#include <cstdint>

#include "cuda_api/abi/driver.hpp"
#include "heddle/texture.hpp"

namespace heddle::cuda_api {

// Throws cudaErrorInvalidChannelDescriptor for channels that there cannot be; cudaErrorNotSupported for compressed and
// video formats.
heddle::TexelFormat texel_format(CUarray_format format, unsigned channels);

struct ChannelFormat {
  CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT8;
  unsigned channels = 1;
};
// From and to the runtime API's form. Throws as texel_format().
ChannelFormat channel_format(const cudaChannelFormatDesc& desc);
cudaChannelFormatDesc channel_desc(const ChannelFormat& format);

// The format of a view, by its number in CUDA (cudaResourceViewFormat). Throws cudaErrorNotSupported for compressed
// ones, cudaErrorInvalidValue for other numbers.
heddle::TexelFormat view_format(int number);

}  // namespace heddle::cuda_api
