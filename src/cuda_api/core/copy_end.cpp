#include "cuda_api/core/copy_end.hpp"

#include <fmt/format.h>

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {

End find_end(const MemoryTable& memory, const void* address, std::size_t size) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const std::optional<Block> block = memory.find(at);
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

}  // namespace heddle::cuda_api
