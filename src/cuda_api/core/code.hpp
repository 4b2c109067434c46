// Code that programs pass while they run: PTX text or a fat binary.
#pragma once

#include <string>

#include "cuda_api/image/fat_binary.hpp"

namespace heddle::cuda_api {

// What `image` points to: PTX text that ends with a zero byte, a fat binary, or the wrapper of one that programs
// register. Throws cudaErrorNoKernelImageForDevice for machine code alone, which Heddle does not run,
// cudaErrorInvalidKernelImage for anything else.
FatBinary read_image(const void* image);
// The same of `size` bytes; text may lack the zero byte.
FatBinary read_image(const void* image, std::size_t size);
// A file's bytes, with a zero byte after them. Throws cudaErrorFileNotFound.
std::string read_image_file(const char* file);

}  // namespace heddle::cuda_api
