// What the compiler's code calls before main(), and around launches.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "base/memory_limit.hpp"
#include "cuda_api/core/check_report.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/runtime/call.hpp"
#include "cuda_api/runtime/launch.hpp"

using namespace heddle::cuda_api;

namespace {

// Without allocating: there may be no memory for the sentence.
[[noreturn]] void end_without_registration(const char* why, const char* limit, int code) noexcept {
  for (const char* part : {"heddle error: the program's kernels cannot be registered: ", why, limit, "\n"})
    std::fputs(part, stderr);
  std::fflush(nullptr);
  ::_exit(code);
}

// Runs f(). It runs before main(), in code of the compiler's, where no error can be returned and nothing is caught.
template <class F>
auto registering(F&& f) noexcept {
  constexpr int exit_error = 1, exit_memory = 3;  // as of heddle
  try {
    return f();
  } catch (const std::bad_alloc&) {
    std::string limit;
    try {
      limit = heddle::base::memory_limit_note();
    } catch (const std::bad_alloc&) {  // no memory for the note either
    }
    end_without_registration("there is no memory", limit.c_str(), exit_memory);
  } catch (const std::exception& error) {
    end_without_registration(error.what(), "", exit_error);
  }
}

}  // namespace

// The handle that the program hands back is the image's address.
HEDDLE_CUDA_API void** __cudaRegisterFatBinary(void* wrapper) {
  return registering([&] { return reinterpret_cast<void**>(&registry().add_image(wrapper)); });
}

HEDDLE_CUDA_API void __cudaRegisterFatBinaryEnd(void** handle) {
  if (handle) registering([&] { reinterpret_cast<Image*>(handle)->write_initial_values(); });
}

// Called by programs of `heddle cc -rdc=true`, once for each file with relocatable device code. `units`: the records of
// all that are linked into one program or library; `names` registers the file's kernels and variables.
HEDDLE_CUDA_API void** __cudaHeddleLinkedBinaries(const void* const* units, unsigned long count, void (*names)(void**),
                                                  const void* wrapper) {
  auto* const handle = registering([&] { return reinterpret_cast<void**>(&registry().add_linked({units, count})); });
  names(handle);
  registering([&] { reinterpret_cast<Image*>(handle)->write_initial_values(wrapper); });
  return handle;
}

// Called by programs of `heddle cc`, and by their libraries, before all else where they have __managed__ variables:
// these lie between.
HEDDLE_CUDA_API void __cudaHeddleManaged(const void* begin, const void* end) {
  registering([&] { registry().managed_variables.add_section(begin, end); });
}

HEDDLE_CUDA_API void __cudaUnregisterFatBinary(void** handle) {
  if (handle) registry().remove_image(*reinterpret_cast<Image*>(handle));
}

// Before the program's first use of a managed variable.
HEDDLE_CUDA_API char __cudaInitModule(void** handle) {
  const cudaError_t placed =
      guarded(__func__, [&] { registry().place_managed(*reinterpret_cast<Image*>(handle), Process::get().current()); });
  return placed == cudaSuccess;
}

HEDDLE_CUDA_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                                              std::size_t size, int, int) {
  registering([&] { registry().add_managed(*reinterpret_cast<Image*>(handle), pointer, name, size); });
}

// Textures and surfaces are refused where they are used.
HEDDLE_CUDA_API void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
HEDDLE_CUDA_API void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
// Variables of the host that kernels may name, where they reach the host's memory; nvcc's programs do not need it.
HEDDLE_CUDA_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
HEDDLE_CUDA_API void __cudaRegisterUnifiedTable(void**, const void*, void*) {}

HEDDLE_CUDA_API void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*,
                                            void*, void*, int*) {
  registering([&] { registry().add_kernel(*reinterpret_cast<Image*>(handle), stub, name); });
}

HEDDLE_CUDA_API void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t size, int,
                                       int) {
  registering([&] { registry().add_variable(*reinterpret_cast<Image*>(handle), shadow, name, size); });
}

HEDDLE_CUDA_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  // Where it fails, the compiler's code does not call the kernel's stub.
  return guarded(__func__, [&] {
    ThreadState& thread = thread_state();
    thread.launch_lacked_memory = true;
    thread.pushed.push_back({grid, block, shared, stream, place_for_reports()});
    thread.launch_lacked_memory = false;
  });
}

HEDDLE_CUDA_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  std::vector<PushedLaunch>& pushed = thread_state().pushed;
  if (pushed.empty()) return failed(__func__, cudaErrorMissingConfiguration, "no launch was configured");
  PushedLaunch& last = pushed.back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  thread_state().launch_place = std::move(last.place);
  pushed.pop_back();
  return cudaSuccess;
}

// CUDA 13: a stub finds its kernel once.
HEDDLE_CUDA_API cudaError_t __cudaGetKernel(KernelEntry** kernel, const void* stub) {
  return guarded(__func__, [&] { *kernel = &registry().kernel(stub); });
}

HEDDLE_CUDA_SZ(__cudaLaunchKernel,
               (KernelEntry * kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream),
               {
                 const TakenLaunchPlace place;
                 return launch(__func__, kernel, {grid, block, shared, stream, false, per_thread}, arguments);
               })
