// Libraries: modules that the program loads itself, from memory or from a file.
#include "cuda_api/core/library.hpp"

#include "cuda_api/core/code.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

cudaError_t get_variable(const char* function, void** p, std::size_t* size, CUlib_st* library, const char* name,
                         bool managed) {
  return with_context(function, [&](Context& context) {
    require(name && (p || size), cudaErrorInvalidValue, "no name, or nothing to ask");
    CUlib_st& from = libraries().find(library);
    const heddle::MemorySpan span =
        managed ? libraries().managed_variable(from, context, name) : libraries().variable(from, context, name);
    if (p) *p = reinterpret_cast<void*>(span.address);
    if (size) *size = span.size;
  });
}

}  // namespace

// How the code is to be compiled is the device's business: options are passed over.
HEDDLE_CUDA_API cudaError_t cudaLibraryLoadData(CUlib_st** library, const void* code, int*, void**, unsigned, int*,
                                                void**, unsigned) {
  HEDDLE_ARGUMENTS(library, code);
  return with_context(__func__, [&](Context& context) {
    require(library && code, cudaErrorInvalidValue, "no place for the library, or no code");
    *library = &libraries().load(context, read_image(code));
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryLoadFromFile(CUlib_st** library, const char* file, int*, void**, unsigned, int*,
                                                    void**, unsigned) {
  HEDDLE_ARGUMENTS(library, file);
  return with_context(__func__, [&](Context& context) {
    require(library && file, cudaErrorInvalidValue, "no place for the library, or no file");
    const std::string bytes = read_image_file(file);
    *library = &libraries().load(context, read_image(bytes.data()));
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryUnload(CUlib_st* library) {
  HEDDLE_ARGUMENTS(library);
  return guarded(__func__, [&] { libraries().unload(library); });
}

HEDDLE_CUDA_API cudaError_t cudaLibraryGetKernel(KernelEntry** kernel, CUlib_st* library, const char* name) {
  HEDDLE_ARGUMENTS(kernel, library, name);
  return with_context(__func__, [&](Context& context) {
    require(kernel && name, cudaErrorInvalidValue, "no place for the kernel, or no name");
    *kernel = &libraries().kernel(libraries().find(library), context, name);
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryGetKernelCount(unsigned* count, CUlib_st* library) {
  HEDDLE_ARGUMENTS(count, library);
  return with_context(__func__, [&](Context& context) {
    require(count, cudaErrorInvalidValue, "no place for the number");
    *count = static_cast<unsigned>(libraries().kernel_names(libraries().find(library), context).size());
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryEnumerateKernels(KernelEntry** kernels, unsigned most, CUlib_st* library) {
  HEDDLE_ARGUMENTS(kernels, most, library);
  return with_context(__func__, [&](Context& context) {
    require(kernels && most > 0, cudaErrorInvalidValue, "no place for kernels");
    CUlib_st& from = libraries().find(library);
    for (const std::string& name : libraries().kernel_names(from, context)) {
      if (most-- == 0) return;
      *kernels++ = &libraries().kernel(from, context, name);
    }
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryGetGlobal(void** p, std::size_t* size, CUlib_st* library, const char* name) {
  HEDDLE_ARGUMENTS(p, size, library, name);
  return get_variable(__func__, p, size, library, name, false);
}
HEDDLE_CUDA_API cudaError_t cudaLibraryGetManaged(void** p, std::size_t* size, CUlib_st* library, const char* name) {
  HEDDLE_ARGUMENTS(p, size, library, name);
  return get_variable(__func__, p, size, library, name, true);
}
