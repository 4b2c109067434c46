// Runtimes and devices.
#include <cstddef>
#include <cstdint>
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

// Of 0 the default is kept; `off` stands for 0.
template <class Number>
void set_limit(Number& limit, std::uint64_t given, std::uint64_t off) {
  if (given != 0) limit = given == off ? 0 : static_cast<Number>(given);
}

heddle::Checks checks(std::int32_t bits, const char* function) {
  constexpr std::int32_t all = HEDDLE_CHECK_MEMORY | HEDDLE_CHECK_RACE | HEDDLE_CHECK_INIT | HEDDLE_CHECK_SYNC;
  if ((bits & ~all) != 0)
    throw heddle::Error(heddle::ErrorCode::invalid_argument,
                        std::string(function) + ": check has bits that no HEDDLE_CHECK_... has");
  heddle::Checks made;
  made.memory = (bits & HEDDLE_CHECK_MEMORY) != 0;
  made.race = (bits & HEDDLE_CHECK_RACE) != 0;
  made.init = (bits & HEDDLE_CHECK_INIT) != 0;
  made.sync = (bits & HEDDLE_CHECK_SYNC) != 0;
  return made;
}

heddle::RuntimeOptions options_of(const heddle_runtime_options& given) {
  const char* const function = "heddle_runtime_create";
  heddle::RuntimeOptions options;
  heddle::Scheduling& scheduling = options.scheduling;
#define HEDDLE_TEXT(name) options.name = text_or(given.name);
#define HEDDLE_CHECKS(name) options.name = checks(given.name, function);
#define HEDDLE_NUMBER(name) options.name = given.name;
#define HEDDLE_CHOICE(name, last) \
  scheduling.name = static_cast<decltype(scheduling.name)>(choice(given.name, last, function, #name));
#define HEDDLE_SWITCH(name) scheduling.name = choice(given.name, 1, function, #name) == 0;
#define HEDDLE_LIMIT(name, off) set_limit(scheduling.name, given.name, off);
#include "c_api/runtime_options.def"
  return options;
}

}  // namespace

extern "C" {

heddle_status heddle_runtime_create(const heddle_runtime_options* options, heddle_runtime** runtime) {
  return guarded([&] {
    auto& result = given(runtime, "heddle_runtime_create", "the place of the runtime");
    const heddle::RuntimeOptions wanted = options_of(known(options, "heddle_runtime_create"));
    auto made = std::make_unique<heddle_runtime>(heddle_runtime{heddle::Runtime(wanted), {}});
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
