// Launches.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "c_api/arguments.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace {

using heddle::Argument;
using heddle::c_api::argument_list;
using heddle::c_api::extents;
using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::known;
using heddle::c_api::text_or;

constexpr const char* launching = "heddle_launch_kernel";

heddle::LaunchOptions launch_options(const heddle_launch_options& from) {
  heddle::LaunchOptions result;
  result.grid = extents(from.grid, launching, "grid");
  result.block = extents(from.block, launching, "block");
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

}  // namespace

extern "C" {

heddle_status heddle_launch_kernel(heddle_runtime* runtime, heddle_kernel* kernel, const heddle_launch_options* options,
                                   const heddle_argument* arguments, size_t count, heddle_launch** launch) {
  return guarded([&] {
    auto& on = given(runtime, launching, "the runtime").runtime;
    const auto& what = given(kernel, launching, "the kernel").kernel;
    given(options, launching, "the options, which hold grid and block,");
    const std::vector<Argument> list = argument_list(arguments, count, launching);
    // Before the launch: it must not be made and its handle then be lost.
    auto handle = launch != nullptr ? std::make_unique<heddle_launch>(heddle_launch{heddle::Launch(nullptr)}) : nullptr;
    const heddle_launch_options wanted = known(options, launching);
    heddle::Launch made = wanted.tenant != nullptr
                              ? wanted.tenant->tenant.launch_list(what, launch_options(wanted), list)
                              : on.launch_list(what, launch_options(wanted), list);
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
