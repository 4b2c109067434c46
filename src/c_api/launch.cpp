// Launches.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace {

using heddle::Argument;
using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::known;
using heddle::c_api::refuse;
using heddle::c_api::text_or;

constexpr const char* launching = "heddle_launch_kernel";

heddle::Dim3 extents(const heddle_dim3& from) {
  return {std::max(from.x, 1u), std::max(from.y, 1u), std::max(from.z, 1u)};
}

heddle::LaunchOptions launch_options(const heddle_launch_options& from) {
  heddle::LaunchOptions result;
  result.grid = extents(from.grid);
  result.block = extents(from.block);
  result.shared = from.shared;
  if (from.has_blocks != 0) result.blocks = heddle::BlockRange{from.block_begin, from.block_end};
  result.cooperative = from.cooperative != 0;
  result.timed = from.timed != 0;
  result.device = text_or(from.device);
  if (from.processor_count > 0) {
    given(from.processors, launching, "the list of processors");
    result.processors.assign(from.processors, from.processors + from.processor_count);
  }
  return result;
}

std::string position(std::size_t index) { return std::string(launching) + ": argument " + std::to_string(index + 1); }

Argument value(const heddle_argument& from, std::size_t index, Argument::Kind kind) {
  const bool is_inline = from.inline_bytes != 0;
  const std::size_t bytes = is_inline ? from.inline_bytes : from.length;
  if (from.inline_bytes > sizeof from.value.bytes) refuse(position(index) + " has more inline bytes than there are");
  const void* data = is_inline ? static_cast<const void*>(from.value.bytes) : from.value.data;
  if (bytes > 0 && data == nullptr) refuse(position(index) + " is a value whose data is NULL");
  return {kind, std::span(static_cast<const std::byte*>(data), bytes)};
}

Argument argument(const heddle_argument& from, std::size_t index) {
  switch (from.kind) {
    case HEDDLE_ARGUMENT_NULL: return nullptr;
    case HEDDLE_ARGUMENT_INTEGER: return value(from, index, Argument::Kind::integer);
    case HEDDLE_ARGUMENT_FLOATING: return value(from, index, Argument::Kind::floating);
    case HEDDLE_ARGUMENT_STRUCTURE: return value(from, index, Argument::Kind::structure);
    case HEDDLE_ARGUMENT_ARRAY: break;
    default: refuse(position(index) + " is of no kind that there is");
  }
  if (from.value.array == nullptr) refuse(position(index) + " is an array whose handle is NULL; pass heddle_null()");
  const std::size_t length = from.length == HEDDLE_REST ? heddle::ArraySlice<std::byte>::rest : from.length;
  return from.value.array->array.slice(from.offset, length);
}

}  // namespace

extern "C" {

heddle_status heddle_launch_kernel(heddle_runtime* runtime, heddle_kernel* kernel, const heddle_launch_options* options,
                                   const heddle_argument* arguments, size_t count, heddle_launch** launch) {
  return guarded([&] {
    auto& on = given(runtime, launching, "the runtime").runtime;
    const auto& what = given(kernel, launching, "the kernel").kernel;
    given(options, launching, "the options, which hold grid and block,");
    if (count > 0) given(arguments, launching, "the list of arguments");
    std::vector<Argument> list;
    list.reserve(count);
    for (std::size_t i = 0; i < count; ++i) list.push_back(argument(arguments[i], i));
    // Before the launch: it must not be made and its handle then be lost.
    auto handle = launch != nullptr ? std::make_unique<heddle_launch>(heddle_launch{heddle::Launch(nullptr)}) : nullptr;
    heddle::Launch made = on.launch_list(what, launch_options(known(options, launching)), list);
    if (!handle) return;
    handle->launch = std::move(made);
    *launch = handle.release();
  });
}

void heddle_launch_free(heddle_launch* launch) { delete launch; }

heddle_status heddle_launch_done(heddle_launch* launch, int32_t* done) {
  return guarded([&] {
    const auto& of = given(launch, "heddle_launch_done", "the launch").launch;
    given(done, "heddle_launch_done", "the place of the answer") = of.done() ? 1 : 0;
  });
}

heddle_status heddle_launch_wait(heddle_launch* launch) {
  return guarded([&] { given(launch, "heddle_launch_wait", "the launch").launch.wait(); });
}

heddle_status heddle_launch_seconds(heddle_launch* launch, double* seconds) {
  return guarded([&] {
    const auto& of = given(launch, "heddle_launch_seconds", "the launch").launch;
    auto& result = given(seconds, "heddle_launch_seconds", "the place of the time");
    result = of.seconds();
  });
}

heddle_status heddle_launch_device(heddle_launch* launch, const char** device) {
  return guarded([&] {
    const auto& of = given(launch, "heddle_launch_device", "the launch").launch;
    auto& result = given(device, "heddle_launch_device", "the place of the id");
    result = of.device().c_str();
  });
}
}
