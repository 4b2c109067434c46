// For refused.cpp, which must not see the names of CUDA's functions.
#pragma once

namespace heddle::cuda_api {

// Reports that the function of this name is not supported, as it is for `what`; returns CUDA_ERROR_NOT_SUPPORTED.
int refuse(const char* function, const char* what) noexcept;

}  // namespace heddle::cuda_api
