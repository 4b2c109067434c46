#include "cuda_api/runtime/launch.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>

#include "base/kernel_name.hpp"
#include "cuda_api/core/capture.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/core/wait_line.hpp"
#include "cuda_api/runtime/call.hpp"

namespace heddle::cuda_api {

void check_shape(const Context& context, const KernelEntry& kernel, const LoadedKernel& loaded,
                 const LaunchCall& call) {
  const auto empty = [](const dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  if (empty(call.grid) || empty(call.block))
    throw Failure(cudaErrorInvalidConfiguration,
                  fmt::format("kernel '{}' is launched with a grid of {} x {} x {} blocks of {} x {} x {} threads",
                              heddle::base::demangled(kernel.name()), call.grid.x, call.grid.y, call.grid.z,
                              call.block.x, call.block.y, call.block.z));
  const std::uint64_t threads = shape(call.block).count();
  if (threads > context.info().max_threads_per_block)
    throw Failure(cudaErrorInvalidConfiguration,
                  fmt::format("kernel '{}' is launched with blocks of {} threads; at most {} are allowed",
                              heddle::base::demangled(kernel.name()), threads, context.info().max_threads_per_block));
  if (call.shared > 0 && call.shared > dynamic_shared_limit(kernel, loaded))
    throw Failure(
        cudaErrorInvalidValue,
        fmt::format("kernel '{}' is launched with {} bytes of dynamic shared memory; {} are allowed without "
                    "cudaFuncSetAttribute",
                    heddle::base::demangled(kernel.name()), call.shared, dynamic_shared_limit(kernel, loaded)));
}

KernelCommand kernel_command(Context& context, KernelEntry& kernel, const LaunchCall& call,
                             std::vector<std::byte> arguments) {
  KernelCommand command;
  command.context = &context;
  command.kernel = &kernel;
  command.function = kernel.stub() ? kernel.stub() : &kernel;  // those of libraries have no name in the program
  command.grid = call.grid;
  command.block = call.block;
  command.shared = static_cast<unsigned>(call.shared);
  command.cooperative = call.cooperative;
  command.arguments = std::move(arguments);
  return command;
}

namespace {

// What the device refuses of a launch is its shape.
[[noreturn]] void refused(const Error& error, const LaunchCall& call) {
  if (error.code() == ErrorCode::invalid_argument)
    throw Failure(call.cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorInvalidConfiguration, error.what());
  throw error;
}

void pack(std::span<std::byte> bytes, const LoadedKernel& kernel, void** arguments) {
  const std::vector<ParameterPlace>& places = kernel.parameters();
  if (places.empty()) return;
  if (!arguments) throw Failure(cudaErrorInvalidValue, "a launch without its arguments");
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::byte* const to = bytes.data() + places[i].offset;
    switch (places[i].size) {  // most are of these, and then it is no call
      case 4: std::memcpy(to, arguments[i], 4); break;
      case 8: std::memcpy(to, arguments[i], 8); break;
      default: std::memcpy(to, arguments[i], places[i].size);
    }
  }
}

void run(KernelEntry& kernel, const LaunchCall& call, void** arguments) {
  refuse_in_host_function();
  Context& context = Process::get().current();
  context.check_sticky();
  CUstream_st& stream = context.stream(call.stream, call.per_thread);
  const LoadedKernel& loaded = kernel.on(context);
  check_shape(context, kernel, loaded, call);
  if (call.cooperative) [[unlikely]]
    check_cooperative(context, kernel, loaded, call);
  // Most fit; what does not is at most 32 KiB.
  std::array<std::byte, 512> few;
  std::vector<std::byte> many;
  std::span<std::byte> bytes(few.data(), loaded.parameter_bytes());
  if (loaded.parameter_bytes() > few.size()) {
    many.resize(loaded.parameter_bytes());
    bytes = many;
  }
  pack(bytes, loaded, arguments);
  const bool captured = capture(stream, [&] {
    KernelCommand command = kernel_command(context, kernel, call, {bytes.begin(), bytes.end()});
    command.priority = -stream.priority;
    return command;
  });
  if (captured) return;
  const LaunchShape shape{cuda_api::shape(call.grid), cuda_api::shape(call.block),
                          static_cast<std::uint32_t>(call.shared), call.cooperative};
  try {
    kernel.prepare(context, loaded, shape.block);
    note_launch(kernel.name());
    context.submit(stream, [&](heddle::Queue& queue) { queue.launch(loaded, shape, bytes); });
  } catch (const Error& error) {
    refused(error, call);
  }
}

}  // namespace

std::vector<std::byte> pack_arguments(const LoadedKernel& kernel, void** arguments) {
  std::vector<std::byte> bytes(kernel.parameter_bytes());
  pack(bytes, kernel, arguments);
  return bytes;
}

cudaError_t launch(const char* function, KernelEntry* kernel, const LaunchCall& call, void** arguments) noexcept {
  return guarded(function, [&] {
    require(kernel, cudaErrorInvalidDeviceFunction, "a launch of what is no kernel");
    launching([&] { run(*kernel, call, arguments); });
  });
}

cudaError_t launch_stub(const char* function, const void* stub, const LaunchCall& call, void** arguments) noexcept {
  KernelEntry* kernel = nullptr;
  const TakenLaunchPlace place;
  const cudaError_t found = guarded(function, [&] { kernel = &registry().kernel(stub); });
  return found != cudaSuccess ? found : launch(function, kernel, call, arguments);
}

}  // namespace heddle::cuda_api

using namespace heddle::cuda_api;

HEDDLE_CUDA_SZ(cudaLaunchKernel,
               (const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream), {
                 HEDDLE_ARGUMENTS(stub, grid, block, arguments, shared, stream);
                 return launch_stub(__func__, stub, {grid, block, shared, stream, false, per_thread}, arguments);
               })

HEDDLE_CUDA_SZ(cudaLaunchCooperativeKernel,
               (const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream), {
                 HEDDLE_ARGUMENTS(stub, grid, block, arguments, shared, stream);
                 return launch_stub(__func__, stub, {grid, block, shared, stream, true, per_thread}, arguments);
               })
