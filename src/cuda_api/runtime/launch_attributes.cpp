// Launches with attributes, and the attributes of streams.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda_api/abi/launch.hpp"
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/runtime/call.hpp"
#include "cuda_api/runtime/launch.hpp"

using namespace heddle::cuda_api;

namespace {

const char* name_of_attribute(int id) {
  switch (id) {
    case abi::programmatic_event: return "an event that a kernel triggers (cudaLaunchAttributeProgrammaticEvent)";
    case abi::completion_event: return "an event of a kernel's start (cudaLaunchAttributeLaunchCompletionEvent)";
    case abi::updatable_node: return "a graph node that kernels update (cudaLaunchAttributeDeviceUpdatableKernelNode)";
    default: return nullptr;
  }
}

// What changes how a kernel may run, but not what it computes, is passed over.
void apply(LaunchCall& call, const abi::LaunchAttribute& attribute) {
  switch (attribute.id) {
    case abi::cooperative: call.cooperative = attribute.value.number != 0; break;
    case abi::cluster_dimension:
    case abi::preferred_cluster: {
      const auto& extent = attribute.value.extent;
      if (extent.x * extent.y * extent.z > 1)
        not_supported(fmt::format("a launch with clusters of {} x {} x {} blocks", extent.x, extent.y, extent.z));
      break;
    }
    case abi::ignored:
    case abi::access_policy:
    case abi::synchronization_policy:
    case abi::cluster_scheduling:
    case abi::programmatic_serialization:
    case abi::priority:
    case abi::sync_domain_map:
    case abi::sync_domain:
    case abi::shared_carveout:
    case abi::nvlink_scheduling: break;
    default:
      if (const char* name = name_of_attribute(attribute.id)) not_supported(name);
      throw Failure(cudaErrorInvalidValue, fmt::format("{} is no attribute of a launch", attribute.id));
  }
}

cudaError_t launch_with(const char* function, const abi::LaunchConfig* config, const void* kernel, void** arguments,
                        bool per_thread) {
  LaunchCall call;
  const cudaError_t fine = guarded(function, [&] {
    require(config && (config->attributes || config->count == 0), cudaErrorInvalidValue, "no shape, or no attributes");
    call = {config->grid, config->block, config->shared, config->stream, false, per_thread};
    for (unsigned i = 0; i < config->count; ++i) apply(call, config->attributes[i]);
  });
  return fine != cudaSuccess ? fine : launch_stub(function, kernel, call, arguments);
}

void get_hint(CUstream_st& stream, int id, abi::AttributeValue& value) {
  const heddle::base::Lock lock(stream.hints_mutex);
  const auto found = stream.hints.find(id);
  if (found != stream.hints.end()) std::memcpy(&value, found->second.data(), sizeof value);
}

void set_hint(CUstream_st& stream, int id, const abi::AttributeValue& value) {
  const heddle::base::Lock lock(stream.hints_mutex);
  std::memcpy(stream.hints[id].data(), &value, sizeof value);
}

// Which part of what the program accesses should stay in a cache.
void check_window(const Context& context, const abi::AttributeValue& value) {
  cudaAccessPolicyWindow window;
  std::memcpy(&window, &value, sizeof window);
  const auto most = static_cast<std::size_t>(std::max(attribute(context, 109).value_or(0), 0));
  require(window.num_bytes <= most, cudaErrorInvalidValue,
          "a window of more than cudaDevAttrMaxAccessPolicyWindowSize");
  require(window.hitRatio >= 0 && window.hitRatio <= 1, cudaErrorInvalidValue, "a ratio of hits beyond 0 to 1");
  require(static_cast<unsigned>(window.hitProp) <= cudaAccessPropertyPersisting &&
              static_cast<unsigned>(window.missProp) <= cudaAccessPropertyStreaming,
          cudaErrorInvalidValue, "there is no such property of accesses, or not of those that miss");
}

cudaError_t get(const char* function, cudaStream_t handle, int id, abi::AttributeValue* value, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(value, cudaErrorInvalidValue, "no place for the value");
    CUstream_st& stream = context.any_stream(handle, per_thread);
    std::memset(value, 0, sizeof *value);
    switch (id) {
      case abi::access_policy:
      case abi::sync_domain_map:
      case abi::sync_domain: get_hint(stream, id, *value); break;
      case abi::synchronization_policy: value->number = stream.synchronization_policy; break;
      case abi::priority: value->number = -stream.priority; break;
      default: throw Failure(cudaErrorInvalidValue, fmt::format("{} is no attribute of a stream", id));
    }
  });
}

cudaError_t set(const char* function, cudaStream_t handle, int id, const abi::AttributeValue* value, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(value, cudaErrorInvalidValue, "no value");
    CUstream_st& stream = context.any_stream(handle, per_thread);
    constexpr int first_policy = 1, last_policy = 4;
    switch (id) {
      case abi::access_policy: check_window(context, *value); [[fallthrough]];
      case abi::sync_domain_map:
      case abi::sync_domain: set_hint(stream, id, *value); break;
      case abi::synchronization_policy:
        require(value->number >= first_policy && value->number <= last_policy, cudaErrorInvalidValue,
                "this is no way to wait for a stream");
        stream.synchronization_policy = value->number;
        break;
      case abi::priority: not_supported("another priority for a stream that was made");
      default: throw Failure(cudaErrorInvalidValue, fmt::format("{} is no attribute of a stream", id));
    }
  });
}

cudaError_t copy_attributes(const char* function, cudaStream_t to, cudaStream_t from, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& changed = context.any_stream(to, per_thread);
    CUstream_st& copied = context.any_stream(from, per_thread);
    if (&changed == &copied) return;
    changed.synchronization_policy = copied.synchronization_policy.load();
    decltype(copied.hints) hints;
    {
      const heddle::base::Lock lock(copied.hints_mutex);
      hints = copied.hints;
    }
    const heddle::base::Lock lock(changed.hints_mutex);
    changed.hints = std::move(hints);
  });
}

}  // namespace

HEDDLE_CUDA_SZ(cudaLaunchKernelExC, (const abi::LaunchConfig* config, const void* kernel, void** arguments),
               { return launch_with(__func__, config, kernel, arguments, per_thread); })
HEDDLE_CUDA_SZ(cudaStreamGetAttribute, (cudaStream_t stream, int id, abi::AttributeValue* value),
               { return get(__func__, stream, id, value, per_thread); })
HEDDLE_CUDA_SZ(cudaStreamSetAttribute, (cudaStream_t stream, int id, const abi::AttributeValue* value),
               { return set(__func__, stream, id, value, per_thread); })
HEDDLE_CUDA_SZ(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
               { return copy_attributes(__func__, to, from, per_thread); })
