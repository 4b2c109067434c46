// Functions by name and version. NVIDIA's library chooses; where it chooses a function that is interposed, the program
// gets the one of this library.
#include "interpose/forward.hpp"

using namespace heddle::interpose;

HEDDLE_INTERPOSER(cuGetProcAddress_v2)
(const char* name, void** function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
  const CUresult result = HEDDLE_FORWARD(cuGetProcAddress_v2, name, function, version, flags, status);
  if (result == CUDA_SUCCESS && function) *function = interposed(*function);
  return result;
}

// The version of CUDA 11.3 to 11.8; its name is a macro in the headers.
#undef cuGetProcAddress
HEDDLE_INTERPOSER(cuGetProcAddress)(const char* name, void** function, int version, cuuint64_t flags) {
  const CUresult result = HEDDLE_FORWARD(cuGetProcAddress, name, function, version, flags);
  if (result == CUDA_SUCCESS && function) *function = interposed(*function);
  return result;
}
