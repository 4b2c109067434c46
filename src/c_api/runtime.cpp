// Runtimes and devices.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace {

using heddle::c_api::choice;
using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::hand_out;
using heddle::c_api::known;
using heddle::c_api::text_or;

heddle::Scheduling scheduling(const heddle_runtime_options& options) {
  using heddle::Scheduling;
  const char* const function = "heddle_runtime_create";
  Scheduling result;
  result.execution = static_cast<Scheduling::Execution>(choice(options.execution, 1, function, "execution"));
  result.dependences = static_cast<Scheduling::Dependences>(choice(options.dependences, 1, function, "dependences"));
  result.new_queues = static_cast<Scheduling::NewQueues>(choice(options.new_queues, 1, function, "new_queues"));
  result.child_queues = static_cast<Scheduling::ChildQueues>(choice(options.child_queues, 1, function, "child_queues"));
  result.prefetch = choice(options.prefetch, 1, function, "prefetch") == HEDDLE_PREFETCH_ON;
  result.replay = choice(options.replay, 1, function, "replay") == HEDDLE_REPLAY_ON;
  result.placement = static_cast<Scheduling::Placement>(choice(options.placement, 5, function, "placement"));
  if (options.most_queues != 0) result.most_queues = options.most_queues;
  if (options.early_start_bytes == HEDDLE_EARLY_START_OFF)
    result.early_start_bytes = 0;
  else if (options.early_start_bytes != 0)
    result.early_start_bytes = options.early_start_bytes;
  return result;
}

}  // namespace

extern "C" {

heddle_status heddle_runtime_create(const heddle_runtime_options* options, heddle_runtime** runtime) {
  return guarded([&] {
    auto& result = given(runtime, "heddle_runtime_create", "the place of the runtime");
    const heddle_runtime_options wanted = known(options, "heddle_runtime_create");
    heddle::RuntimeOptions cpp;
    cpp.devices = text_or(wanted.devices);
    cpp.check = wanted.check != 0;
    cpp.workers = wanted.workers;
    cpp.scheduling = scheduling(wanted);
    cpp.trace = text_or(wanted.trace);
    cpp.policy = text_or(wanted.policy);
    cpp.memory_budget = wanted.memory_budget;
    auto made = std::make_unique<heddle_runtime>(heddle_runtime{heddle::Runtime(cpp), {}});
    made->devices = made->runtime.devices();
    result = made.release();
  });
}

void heddle_runtime_free(heddle_runtime* runtime) { delete runtime; }

heddle_status heddle_runtime_synchronize(heddle_runtime* runtime) {
  return guarded([&] { given(runtime, "heddle_runtime_synchronize", "the runtime").runtime.synchronize(); });
}

heddle_status heddle_runtime_write_trace(heddle_runtime* runtime) {
  return guarded([&] { given(runtime, "heddle_runtime_write_trace", "the runtime").runtime.write_trace(); });
}

heddle_status heddle_runtime_trace(heddle_runtime* runtime, const char* path) {
  return guarded([&] {
    auto& of = given(runtime, "heddle_runtime_trace", "the runtime").runtime;
    of.trace(&given(path, "heddle_runtime_trace", "the file's name"));
  });
}

heddle_status heddle_device_count(heddle_runtime* runtime, size_t* count) {
  return guarded([&] {
    const auto& devices = given(runtime, "heddle_device_count", "the runtime").devices;
    given(count, "heddle_device_count", "the place of the count") = devices.size();
  });
}

heddle_status heddle_device_get_info(heddle_runtime* runtime, size_t number, heddle_device_info* info) {
  return guarded([&] {
    const char* const function = "heddle_device_get_info";
    const auto& devices = given(runtime, function, "the runtime").devices;
    given(info, function, "the place of the information");
    if (number >= devices.size())
      throw heddle::Error(heddle::ErrorCode::not_found, "there is no device number " + std::to_string(number) +
                                                            "; this runtime has " + std::to_string(devices.size()));
    const heddle::DeviceInfo& device = devices[number];
    heddle_device_info result{};
    result.id = device.id.c_str();
    result.name = device.name.c_str();
    result.processors = device.processors;
    result.warp_size = device.warp_size;
    result.vector_bits = device.vector_bits;
    result.host_memory = device.host_memory ? 1 : 0;
    result.memory_bytes = device.memory_bytes;
    result.capability = device.capability;
    result.max_threads_per_block = device.max_threads_per_block;
    result.max_shared_per_block = device.max_shared_per_block;
    hand_out(result, info, info->size, function);
  });
}

heddle_status heddle_measured_bandwidth(heddle_runtime* runtime, const char* device, double* bytes_per_second) {
  return guarded([&] {
    const char* const function = "heddle_measured_bandwidth";
    auto& from = given(runtime, function, "the runtime").runtime;
    given(bytes_per_second, function, "the place of the result") = from.measured_bandwidth(text_or(device));
  });
}

heddle_status heddle_measured_link(heddle_runtime* runtime, const char* from, const char* to,
                                   double* bytes_per_second) {
  return guarded([&] {
    const char* const function = "heddle_measured_link";
    auto& measured = given(runtime, function, "the runtime").runtime;
    given(from, function, "the device that bytes come from");
    given(to, function, "the device that bytes go to");
    given(bytes_per_second, function, "the place of the result") = measured.measured_link(from, to);
  });
}
}
