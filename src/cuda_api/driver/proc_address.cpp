// Functions of the driver API by name, and by the version of CUDA that a program was written for: cuCtxCreate is one
// function for a program of CUDA 11.3 and another for one of 12.5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "cuda_api/core/attributes.hpp"
#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/symbols.hpp"

using namespace heddle::cuda_api;

namespace {

constexpr int newest = driver_version;

struct Found {
  void* function = nullptr;
  bool known = false;  // there is such a name, if only for newer programs
};

// The newest that the version knows. Names with their version in them, as cuMemAlloc_v2, stand for that one.
Found find(std::string_view name, int version, bool per_thread) {
  Found found;
  int best = -1;
  for (const DriverSymbol& symbol : driver_symbols()) {
    if (symbol.name != name && symbol.symbol != name) continue;
    found.known = true;
    if (symbol.since > version || symbol.since < best) continue;
    best = symbol.since;
    found.function = per_thread ? symbol.per_thread_function : symbol.function;
  }
  return found;
}

CUresult get(const char* call, const char* name, void** function, int version, cuuint64_t flags, Found& found) {
  return driver(call, [&] {
    require(name && function, cudaErrorInvalidValue, "no name, or no place for the function");
    require(version <= newest, cudaErrorInvalidValue, "the version is newer than this driver's");
    require(flags <= CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, cudaErrorInvalidValue, "unknown flags");
    found = find(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    *function = found.function;
  });
}

}  // namespace

HEDDLE_DRIVER_API cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                                      CUdriverProcAddressQueryResult* status) {
  Found found;
  const CUresult result = get(__func__, name, function, version, flags, found);
  if (result == CUDA_SUCCESS && status)
    *status = found.function ? CU_GET_PROC_ADDRESS_SUCCESS
              : found.known  ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return result;
}

// The version of CUDA 11.3 to 11.8; its name is a macro in the headers.
#undef cuGetProcAddress
HEDDLE_DRIVER_API cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  Found found;
  const CUresult result = get(__func__, name, function, version, flags, found);
  return result == CUDA_SUCCESS && !found.function ? CUDA_ERROR_NOT_FOUND : result;
}
