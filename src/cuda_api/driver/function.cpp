#include "cuda_api/driver/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/kernel_name.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/runtime/launch.hpp"

namespace heddle::cuda_api {

KernelEntry& entry_of(const void* handle) {
  auto* const entry = const_cast<KernelEntry*>(static_cast<const KernelEntry*>(handle));
  registry().home(entry);
  return *entry;
}

Context& function_context(KernelEntry& entry, Context& current) {
  const KernelHome home = registry().home(&entry);
  if (home.context && home.context != &current)
    throw Failure(cudaErrorInvalidResourceHandle,
                  fmt::format("kernel '{}' is of a module of another context than the current one",
                              heddle::base::demangled(entry.name())));
  return current;
}

namespace {

// 80 for a module whose .target is sm_80.
int target_of(const std::string& ptx) {
  const std::size_t at = ptx.find("sm_", std::min(ptx.find(".target"), ptx.size()));
  int target = 0;
  if (at != std::string::npos) std::from_chars(ptx.data() + at + 3, ptx.data() + ptx.size(), target);
  return target;
}

}  // namespace

int function_attribute(KernelEntry& entry, Context& context, CUfunction_attribute attribute) {
  const LoadedKernel& loaded = entry.on(context);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return static_cast<int>(needs_of(context, loaded).most_threads);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return static_cast<int>(loaded.shared_bytes());
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return 0;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return static_cast<int>(needs_of(context, loaded).local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return static_cast<int>(needs_of(context, loaded).registers);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: return target_of(entry.image().on(context).ptx());
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return context.capability() != 0 ? static_cast<int>(context.capability())
                                       : target_of(entry.image().on(context).ptx());
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return static_cast<int>(entry.most_dynamic_shared.load());
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return CU_SHAREDMEM_CARVEOUT_DEFAULT;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return 0;
    default: throw Failure(cudaErrorInvalidValue, "there is no such attribute of a kernel");
  }
}

void set_function_attribute(KernelEntry& entry, Context& context, CUfunction_attribute attribute, int value) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const auto most = static_cast<std::int64_t>(context.info().max_shared_per_block) -
                        static_cast<std::int64_t>(entry.on(context).shared_bytes());
      if (value < 0 || value > most)
        throw Failure(cudaErrorInvalidValue,
                      fmt::format("kernel '{}' cannot have {} bytes of dynamic shared memory; {} has {} for it",
                                  heddle::base::demangled(entry.name()), value, context.info().id,
                                  std::max<std::int64_t>(most, 0)));
      entry.most_dynamic_shared = static_cast<std::uint32_t>(value);
      return;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:  // a hint
      require(value >= -1 && value <= 100, cudaErrorInvalidValue, "a share of the memory is -1, or 0 to 100 percent");
      return;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return;  // of clusters, which launches refuse
    default: throw Failure(cudaErrorInvalidValue, "the attribute of a kernel cannot be set");
  }
}

void parameter_info(const LoadedKernel& kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
  require(offset, cudaErrorInvalidValue, "no place for the offset");
  const std::vector<ParameterPlace>& places = kernel.parameters();
  require(index < places.size(), cudaErrorInvalidValue, "the kernel has fewer parameters");
  *offset = places[index].offset;
  if (size) *size = places[index].size;
}

}  // namespace heddle::cuda_api

using namespace heddle::cuda_api;

namespace {

// For calls that a function of the current context is asked with.
template <class F>
CUresult on_function(const char* name, CUfunction function, F&& f) noexcept {
  return in_context(name, [&](Context& context) {
    KernelEntry& entry = entry_of(function);
    f(entry, function_context(entry, context));
  });
}

}  // namespace

HEDDLE_DRIVER_API cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  HEDDLE_ARGUMENTS(value, attribute, function);
  return on_function(__func__, function, [&](KernelEntry& entry, Context& context) {
    require(value, cudaErrorInvalidValue, "no place for the value");
    *value = function_attribute(entry, context, attribute);
  });
}
HEDDLE_DRIVER_API cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  HEDDLE_ARGUMENTS(function, attribute, value);
  return on_function(__func__, function, [&](KernelEntry& entry, Context& context) {
    set_function_attribute(entry, context, attribute, value);
  });
}
HEDDLE_DRIVER_API cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  HEDDLE_ARGUMENTS(function, config);
  return on_function(__func__, function, [&](KernelEntry&, Context&) {
    require(config <= CU_FUNC_CACHE_PREFER_EQUAL, cudaErrorInvalidValue, "there is no such division of the cache");
  });
}
HEDDLE_DRIVER_API cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  HEDDLE_ARGUMENTS(function, config);
  return on_function(__func__, function, [&](KernelEntry&, Context&) {
    require(config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE, cudaErrorInvalidValue, "there are no such banks");
  });
}
HEDDLE_DRIVER_API cuFuncGetModule(CUmodule* module, CUfunction function) {
  HEDDLE_ARGUMENTS(module, function);
  return on_function(__func__, function, [&](KernelEntry& entry, Context& context) {
    require(module, cudaErrorInvalidValue, "no place for the module");
    const KernelHome home = registry().home(&entry);
    if (!home.library) not_supported("the module of a kernel that the program registered (cuFuncGetModule)");
    *module = &libraries().module(*home.library, context);
  });
}
HEDDLE_DRIVER_API cuFuncGetName(const char** name, CUfunction function) {
  HEDDLE_ARGUMENTS(name, function);
  return driver(__func__, [&] {
    require(name, cudaErrorInvalidValue, "no place for the name");
    *name = entry_of(function).name().c_str();
  });
}
HEDDLE_DRIVER_API cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* size) {
  HEDDLE_ARGUMENTS(function, index, offset, size);
  return on_function(__func__, function, [&](KernelEntry& entry, Context& context) {
    parameter_info(entry.on(context), index, offset, size);
  });
}
HEDDLE_DRIVER_API cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  HEDDLE_ARGUMENTS(state, function);
  return on_function(__func__, function, [&](KernelEntry& entry, Context& context) {
    require(state, cudaErrorInvalidValue, "no place for the answer");
    *state = entry.is_on(context) ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
  });
}
HEDDLE_DRIVER_API cuFuncLoad(CUfunction function) {
  HEDDLE_ARGUMENTS(function);
  return on_function(__func__, function, [&](KernelEntry& entry, Context& context) { entry.on(context); });
}
