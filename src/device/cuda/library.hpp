// Opening NVIDIA's driver library.
#pragma once

#include <string>
#include <vector>

namespace heddle::device::cuda {

// libcuda.so.1 as dlopen() gives it; null when it is not found. Where the name leads to Heddle's own library, which
// programs under `heddle run` find first, NVIDIA's is searched for after it: in the other folders of LD_LIBRARY_PATH,
// in the loader's cache, and in the usual places.
void* open_driver_library();

// Whether this machine has a GPU of NVIDIA's and the library for it. Loads nothing, so that it costs no time; whether
// the driver works is found out by those that use it.
bool has_driver_and_gpu();

// The libraries of this name that a loader's cache lists, in its order; nothing for a file that is none. (The text of
// /etc/ld.so.cache.)
std::vector<std::string> listed_libraries(const std::string& cache, const std::string& name);

}  // namespace heddle::device::cuda
