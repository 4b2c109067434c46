// Whether memory that a program points to is there.
#pragma once

#include <cstddef>

namespace heddle::cuda_api {

// Whether the process has mapped all of [at, at + size); if `at` lies in a segment of the program or of a library,
// whether that segment has all of it.
bool is_mapped(const void* at, std::size_t size);

}  // namespace heddle::cuda_api
