// NVIDIA's libraries of which there is no source.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::programs {

// Names without `lib`, which may continue: cublasLt, nppial.
inline constexpr std::array<std::string_view, 17> closed_libraries{
    "cublas", "cudnn", "cufft",  "cufile",  "cupti",  "curand", "cusolver",   "cusparse", "cutensor",
    "nccl",   "npp",   "nvblas", "nvgraph", "nvjpeg", "nvrtc",  "nvToolsExt", "nvidia-ml"};
// Those of them that bring kernels of their own, as machine code.
inline constexpr std::array<std::string_view, 11> libraries_with_kernels{
    "cublas", "cudnn", "cufft", "curand", "cusolver", "cusparse", "cutensor", "nccl", "npp", "nvgraph", "nvjpeg"};

template <class List>
bool is_one_of(const List& starts, std::string_view name) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace heddle::programs
