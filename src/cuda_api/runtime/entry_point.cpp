// Functions of the driver API, found by name: those of Heddle's libcuda, which lies beside this library. The signature
// has grown: compiled for each version of CUDA.
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

enum QueryResult : int { found = 0, not_found = 1, needs_newer = 2 };
constexpr unsigned long long wants_per_thread = 2;

// Never NVIDIA's own, which knows nothing of what is on Heddle's devices.
void* driver_library() {
  static void* const library = [] {
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&driver_library), &here) == 0 || !here.dli_fname)
      return static_cast<void*>(nullptr);
    const auto beside = std::filesystem::path(here.dli_fname).parent_path() / "libcuda.so.1";
    return dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  return library;
}

// The newest form of a function that the version has; the driver knows which that is.
void* find(const char* symbol, int version, unsigned long long flags) {
  using GetProcAddress = int (*)(const char*, void**, int, unsigned long long, int*);
  void* const library = driver_library();
  if (!library) not_supported("a function of the driver API (libcuda.so.1 does not lie beside libcudart)");
  void* address = nullptr;
  int status = 0;
  if (const auto get = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"))) {
    if (get(symbol, &address, version, flags, &status) == 0 && address) return address;
    return nullptr;
  }
  for (const char* suffix : {"_v3", "_v2", ""}) {
    address = dlsym(library, (std::string(symbol) + suffix).c_str());
    if (address) return address;
  }
  return nullptr;
}

cudaError_t entry_point(const char* function, const char* symbol, void** address, int version, unsigned long long flags,
                        int* status) {
  return guarded(function, [&] {
    require(symbol && *symbol && address && flags <= wants_per_thread, cudaErrorInvalidValue,
            "no name, no place for the address, or unknown flags");
    *address = nullptr;
    if (status) *status = not_found;
    *address = find(symbol, version, flags);
    if (status)
      *status = *address ? found : not_found;
    else
      require(*address, cudaErrorSymbolNotFound, "the driver API has no such function");
  });
}

constexpr int own_version = HEDDLE_CUDART_MAJOR * 1000;

// Functions with the thread's own default stream, where the program leaves it open which it wants.
unsigned long long flags_of(unsigned long long asked, bool per_thread) {
  return per_thread && asked == 0 ? wants_per_thread : asked;
}

}  // namespace

#if HEDDLE_CUDART_MAJOR == 11
HEDDLE_CUDA_SZ(cudaGetDriverEntryPoint, (const char* symbol, void** address, unsigned long long flags),
               { return entry_point(__func__, symbol, address, own_version, flags_of(flags, per_thread), nullptr); })
#else
HEDDLE_CUDA_SZ(cudaGetDriverEntryPoint, (const char* symbol, void** address, unsigned long long flags, int* status),
               { return entry_point(__func__, symbol, address, own_version, flags_of(flags, per_thread), status); })
HEDDLE_CUDA_SZ(cudaGetDriverEntryPointByVersion,
               (const char* symbol, void** address, unsigned version, unsigned long long flags, int* status), {
                 return entry_point(__func__, symbol, address, static_cast<int>(version), flags_of(flags, per_thread),
                                    status);
               })
#endif
