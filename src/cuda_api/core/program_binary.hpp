// What a program registers, or passes in the same form, as one: relocatable code of several files is joined.
#pragma once

#include <span>

#include "cuda_api/image/fat_binary.hpp"

namespace heddle::cuda_api {

// `wrappers`: the arguments of __cudaRegisterFatBinary, or the files of one program of `heddle cc -rdc=true`; at least
// one. If the PTX is that of several files (nvcc -rdc=true has them in one wrapper), it is joined for each architecture
// that the first has. Throws parse_error for invalid data, what link_ptx throws, and Failure:
// cudaErrorNoKernelImageForDevice when the files were compiled for different GPUs.
FatBinary read_program_binary(std::span<const void* const> wrappers);

}  // namespace heddle::cuda_api
