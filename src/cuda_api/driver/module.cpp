// Modules: code that is loaded for one context.
#include "cuda_api/core/code.hpp"
#include "cuda_api/core/jit_options.hpp"
#include "cuda_api/core/library.hpp"
#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/function.hpp"

using namespace heddle::cuda_api;

namespace {

CUresult load(const char* name, CUmodule* module, const void* image, unsigned count = 0,
              const CUjit_option* options = nullptr, void** values = nullptr) {
  return in_context(name, [&](Context& context) {
    require(module && image, cudaErrorInvalidValue, "no place for the module, or no code");
    JitOptions jit(count, options, values);
    *module = jit.load([&]() -> CUmod_st* { return &libraries().load_module(context, read_image(image)); });
  });
}

}  // namespace

HEDDLE_DRIVER_API cuModuleLoad(CUmodule* module, const char* file) {
  HEDDLE_ARGUMENTS(module, file);
  return in_context(__func__, [&](Context& context) {
    require(module && file, cudaErrorInvalidValue, "no place for the module, or no file");
    const std::string bytes = read_image_file(file);
    *module = &libraries().load_module(context, read_image(bytes.data(), bytes.size()));
  });
}
HEDDLE_DRIVER_API cuModuleLoadData(CUmodule* module, const void* image) {
  HEDDLE_ARGUMENTS(module, image);
  return load(__func__, module, image);
}
HEDDLE_DRIVER_API cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  HEDDLE_ARGUMENTS(module, image);
  return load(__func__, module, image);
}
HEDDLE_DRIVER_API cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                                     void** values) {
  HEDDLE_ARGUMENTS(module, image, count, options, values);
  return load(__func__, module, image, count, options, values);
}
HEDDLE_DRIVER_API cuModuleUnload(CUmodule module) {
  HEDDLE_ARGUMENTS(module);
  return in_context(__func__, [&](Context&) { libraries().unload(module); });
}
HEDDLE_DRIVER_API cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  HEDDLE_ARGUMENTS(mode);
  return driver(__func__, [&] {
    require(mode, cudaErrorInvalidValue, "no place for the answer");
    *mode = CU_MODULE_LAZY_LOADING;
  });
}
HEDDLE_DRIVER_API cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  HEDDLE_ARGUMENTS(function, module, name);
  return in_context(__func__, [&](Context&) {
    require(function && name, cudaErrorInvalidValue, "no place for the function, or no name");
    CUmod_st& from = libraries().find(module);
    *function = function_handle(libraries().kernel(*from.library, *from.context, name));
  });
}
HEDDLE_DRIVER_API cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  HEDDLE_ARGUMENTS(count, module);
  return in_context(__func__, [&](Context&) {
    require(count, cudaErrorInvalidValue, "no place for the number");
    CUmod_st& from = libraries().find(module);
    *count = static_cast<unsigned>(libraries().kernel_names(*from.library, *from.context).size());
  });
}
HEDDLE_DRIVER_API cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  HEDDLE_ARGUMENTS(functions, count, module);
  return in_context(__func__, [&](Context&) {
    require(functions || count == 0, cudaErrorInvalidValue, "no place for the functions");
    CUmod_st& from = libraries().find(module);
    const std::vector<std::string> names = libraries().kernel_names(*from.library, *from.context);
    for (std::size_t i = 0; i < names.size() && i < count; ++i)
      functions[i] = function_handle(libraries().kernel(*from.library, *from.context, names[i]));
  });
}
HEDDLE_DRIVER_API cuModuleGetGlobal_v2(CUdeviceptr* p, std::size_t* size, CUmodule module, const char* name) {
  HEDDLE_ARGUMENTS(p, size, module, name);
  return in_context(__func__, [&](Context&) {
    require(name && (p || size), cudaErrorInvalidValue, "no name, or no place for the answer");
    CUmod_st& from = libraries().find(module);
    const heddle::MemorySpan span = libraries().variable(*from.library, *from.context, name);
    if (p) *p = span.address;
    if (size) *size = span.size;
  });
}
