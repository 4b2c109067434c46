// Libraries and kernels: code that is loaded once for all contexts.
#include "cuda_api/core/library.hpp"
#include "cuda_api/core/code.hpp"
#include "cuda_api/core/jit_options.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/function.hpp"

using namespace heddle::cuda_api;

HEDDLE_DRIVER_API cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options, void** values,
                                    unsigned count, CUlibraryOption*, void**, unsigned) {
  HEDDLE_ARGUMENTS(library, code, options, values, count);
  return in_any_context(__func__, [&](Context& context) {
    require(library && code, cudaErrorInvalidValue, "no place for the library, or no code");
    JitOptions jit(count, options, values);
    *library = jit.load([&]() -> CUlib_st* { return &libraries().load(context, read_image(code)); });
  });
}
HEDDLE_DRIVER_API cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options, void** values,
                                        unsigned count, CUlibraryOption*, void**, unsigned) {
  HEDDLE_ARGUMENTS(library, file, options, values, count);
  return in_any_context(__func__, [&](Context& context) {
    require(library && file, cudaErrorInvalidValue, "no place for the library, or no file");
    const std::string bytes = read_image_file(file);
    JitOptions jit(count, options, values);
    *library = jit.load([&]() -> CUlib_st* { return &libraries().load(context, read_image(bytes.data())); });
  });
}
HEDDLE_DRIVER_API cuLibraryUnload(CUlibrary library) {
  HEDDLE_ARGUMENTS(library);
  return driver(__func__, [&] { libraries().unload(library); });
}
HEDDLE_DRIVER_API cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  HEDDLE_ARGUMENTS(kernel, library, name);
  return in_any_context(__func__, [&](Context& context) {
    require(kernel && name, cudaErrorInvalidValue, "no place for the kernel, or no name");
    *kernel = kernel_handle(libraries().kernel(libraries().find(library), context, name));
  });
}
HEDDLE_DRIVER_API cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  HEDDLE_ARGUMENTS(count, library);
  return in_any_context(__func__, [&](Context& context) {
    require(count, cudaErrorInvalidValue, "no place for the number");
    *count = static_cast<unsigned>(libraries().kernel_names(libraries().find(library), context).size());
  });
}
HEDDLE_DRIVER_API cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  HEDDLE_ARGUMENTS(kernels, count, library);
  return in_any_context(__func__, [&](Context& context) {
    require(kernels || count == 0, cudaErrorInvalidValue, "no place for the kernels");
    CUlib_st& from = libraries().find(library);
    const std::vector<std::string> names = libraries().kernel_names(from, context);
    for (std::size_t i = 0; i < names.size() && i < count; ++i)
      kernels[i] = kernel_handle(libraries().kernel(from, context, names[i]));
  });
}
HEDDLE_DRIVER_API cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  HEDDLE_ARGUMENTS(module, library);
  return in_context(__func__, [&](Context& context) {
    require(module, cudaErrorInvalidValue, "no place for the module");
    *module = &libraries().module(libraries().find(library), context);
  });
}

namespace {

void tell(const heddle::MemorySpan& span, CUdeviceptr* p, std::size_t* size) {
  if (p) *p = span.address;
  if (size) *size = span.size;
}

}  // namespace

HEDDLE_DRIVER_API cuLibraryGetGlobal(CUdeviceptr* p, std::size_t* size, CUlibrary library, const char* name) {
  HEDDLE_ARGUMENTS(p, size, library, name);
  return in_context(__func__, [&](Context& context) {
    require(name && (p || size), cudaErrorInvalidValue, "no name, or no place for the answer");
    tell(libraries().variable(libraries().find(library), context, name), p, size);
  });
}
HEDDLE_DRIVER_API cuLibraryGetManaged(CUdeviceptr* p, std::size_t* size, CUlibrary library, const char* name) {
  HEDDLE_ARGUMENTS(p, size, library, name);
  return in_any_context(__func__, [&](Context& context) {
    require(name && (p || size), cudaErrorInvalidValue, "no name, or no place for the answer");
    tell(libraries().managed_variable(libraries().find(library), context, name), p, size);
  });
}
HEDDLE_DRIVER_API cuLibraryGetUnifiedFunction(void**, CUlibrary, const char*) {
  return driver(__func__, [&] { not_supported("a unified function pointer (cuLibraryGetUnifiedFunction)"); });
}

HEDDLE_DRIVER_API cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  HEDDLE_ARGUMENTS(function, kernel);
  return in_context(__func__, [&](Context& context) {
    require(function, cudaErrorInvalidValue, "no place for the function");
    KernelEntry& entry = entry_of(kernel);
    entry.on(context);
    *function = function_handle(entry);
  });
}
HEDDLE_DRIVER_API cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  HEDDLE_ARGUMENTS(library, kernel);
  return driver(__func__, [&] {
    require(library, cudaErrorInvalidValue, "no place for the library");
    const KernelHome home = registry().home(&entry_of(kernel));
    require(home.library != nullptr, cudaErrorInvalidResourceHandle, "the program's own kernels are in no library");
    *library = home.library;
  });
}
HEDDLE_DRIVER_API cuKernelGetName(const char** name, CUkernel kernel) {
  HEDDLE_ARGUMENTS(name, kernel);
  return driver(__func__, [&] {
    require(name, cudaErrorInvalidValue, "no place for the name");
    *name = entry_of(kernel).name().c_str();
  });
}
HEDDLE_DRIVER_API cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
  HEDDLE_ARGUMENTS(kernel, index, offset, size);
  return in_any_context(__func__,
                        [&](Context& context) { parameter_info(entry_of(kernel).on(context), index, offset, size); });
}
HEDDLE_DRIVER_API cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  HEDDLE_ARGUMENTS(value, attribute, kernel, device);
  return driver(__func__, [&] {
    require(value, cudaErrorInvalidValue, "no place for the value");
    *value = function_attribute(entry_of(kernel), device_context(device), attribute);
  });
}
HEDDLE_DRIVER_API cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  HEDDLE_ARGUMENTS(attribute, value, kernel, device);
  return driver(__func__, [&] { set_function_attribute(entry_of(kernel), device_context(device), attribute, value); });
}
HEDDLE_DRIVER_API cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  HEDDLE_ARGUMENTS(kernel, config, device);
  return driver(__func__, [&] {
    entry_of(kernel);
    device_context(device);
    require(config <= CU_FUNC_CACHE_PREFER_EQUAL, cudaErrorInvalidValue, "there is no such division of the cache");
  });
}
