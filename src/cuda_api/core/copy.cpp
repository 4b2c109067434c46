#include "cuda_api/core/copy.hpp"

#include <fmt/format.h>

#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {

End find_end(Process& process, const void* address, std::size_t size) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const std::optional<Block> block = process.memory.find(at);
  if (!block) return {MemorySpan::of_host(address, size), false, false};
  if (size > block->size - (at - block->address))
    throw Failure(cudaErrorInvalidValue,
                  fmt::format("{} bytes at {} are not within the allocation of {} bytes at {:#x}", size, address,
                              block->size, block->address));
  return {block->part(at, size), true, !block->on_host()};
}

void check_direction(const End& to, const End& from, cudaMemcpyKind kind) {
  // Managed memory and what kernels reach on the host are on both sides.
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (static_cast<unsigned>(kind) > cudaMemcpyDefault)
    throw Failure(cudaErrorInvalidMemcpyDirection, fmt::format("{} is no direction of a copy", static_cast<int>(kind)));
  if (to_device && !to.known)
    throw Failure(cudaErrorInvalidValue, fmt::format("the destination of a copy to the device, {:#x}, is not memory of "
                                                     "a device",
                                                     to.span.address));
  if (from_device && !from.known)
    throw Failure(
        cudaErrorInvalidValue,
        fmt::format("the source of a copy from the device, {:#x}, is not memory of a device", from.span.address));
}

bool may_be_asynchronous(const End& to, const End& from) { return to.known && from.known; }

namespace {

void finish(Context& context, CUstream_st& stream, bool wait) {
  if (wait) context.synchronize(stream);
}

}  // namespace

void copy(Context& context, CUstream_st& stream, void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
          bool wait) {
  if (size == 0) return;
  const End destination = find_end(context.process(), to, size), source = find_end(context.process(), from, size);
  check_direction(destination, source, kind);
  context.submit(stream, [&](heddle::Queue& queue) { queue.copy(destination.span, source.span); });
  finish(context, stream, wait || !may_be_asynchronous(destination, source));
}

void copy_box(Context& context, CUstream_st& stream, const BoxEnd& to, const BoxEnd& from, const BoxSize& size,
              cudaMemcpyKind kind, bool wait) {
  if (size.width == 0 || size.height == 0 || size.depth == 0) return;
  const auto bytes = [&](const BoxEnd& end) {
    return (size.depth - 1) * end.plane + (size.height - 1) * end.row + size.width;
  };
  const End destination = find_end(context.process(), to.address, bytes(to)),
            source = find_end(context.process(), from.address, bytes(from));
  check_direction(destination, source, kind);
  context.submit(stream, [&](heddle::Queue& queue) {
    queue.copy(MemoryBox{destination.span.device, destination.span.address, to.row, to.plane},
               MemoryBox{source.span.device, source.span.address, from.row, from.plane}, size);
  });
  finish(context, stream, wait || !may_be_asynchronous(destination, source));
}

namespace {

End find_target(Context& context, void* address, std::size_t size) {
  End end = find_end(context.process(), address, size);
  if (!end.known)
    throw Failure(cudaErrorInvalidValue, fmt::format("a fill of {}, which is not memory of a device", address));
  return end;
}

}  // namespace

void fill(Context& context, CUstream_st& stream, void* to, unsigned value, unsigned value_bytes, std::size_t size,
          bool wait) {
  if (size == 0) return;
  const End target = find_target(context, to, size);
  context.submit(stream, [&](heddle::Queue& queue) { queue.fill(target.span, value, value_bytes); });
  finish(context, stream, wait);
}

void fill_box(Context& context, CUstream_st& stream, const BoxEnd& to, const BoxSize& size, unsigned value,
              unsigned value_bytes, bool wait) {
  if (size.width == 0 || size.height == 0 || size.depth == 0) return;
  const End target =
      find_target(context, to.address, (size.depth - 1) * to.plane + (size.height - 1) * to.row + size.width);
  context.submit(stream, [&](heddle::Queue& queue) {
    queue.fill(MemoryBox{target.span.device, target.span.address, to.row, to.plane}, size, value, value_bytes);
  });
  finish(context, stream, wait);
}

}  // namespace heddle::cuda_api
