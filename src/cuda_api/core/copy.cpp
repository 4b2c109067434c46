#include "cuda_api/core/copy.hpp"

#include "cuda_api/core/capture.hpp"

namespace heddle::cuda_api {

namespace {

// A call that waits does so at once; a copy or fill that is captured does not run at all.
template <class Command>
void run(Context& context, CUstream_st& stream, Command&& make, bool wait) {
  if (wait) forbid_synchronous(stream);
  if (capture(stream, make)) return;
  const auto command = make();
  if (command.is_empty()) return;
  context.submit(stream, [&](heddle::Queue& queue) { command.put(queue); });
  if constexpr (requires { command.from; }) wait = wait || !may_be_asynchronous(command.to, command.from);
  if (wait) context.synchronize(stream);
}

cudaPitchedPtr pitched(const BoxEnd& end, const BoxSize& size) {
  // Planes lie whole rows apart, but for the one that there is.
  return {end.address, end.row, size.width, end.row == 0 ? 0 : end.plane / end.row};
}

}  // namespace

void copy(Context& context, CUstream_st& stream, void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
          bool wait) {
  run(context, stream, [&] { return copy_command(context, to, from, size, kind); }, wait);
}

void copy_box(Context& context, CUstream_st& stream, const BoxEnd& to, const BoxEnd& from, const BoxSize& size,
              cudaMemcpyKind kind, bool wait) {
  cudaMemcpy3DParms p = {};
  p.dstPtr = pitched(to, size);
  p.srcPtr = pitched(from, size);
  p.extent = {size.width, size.height, size.depth};
  p.kind = kind;
  run(context, stream, [&] { return copy_command(context, p); }, wait);
}

void fill(Context& context, CUstream_st& stream, void* to, unsigned value, unsigned value_bytes, std::size_t size,
          bool wait) {
  const cudaMemsetParams p = {to, size, value, value_bytes, size / value_bytes, 1};
  run(context, stream, [&] { return fill_command(context, p); }, wait);
}

void fill_box(Context& context, CUstream_st& stream, const BoxEnd& to, const BoxSize& size, unsigned value,
              unsigned value_bytes, bool wait) {
  const cudaMemsetParams p = {to.address, to.row, value, value_bytes, size.width / value_bytes, size.height};
  run(context, stream, [&] { return fill_command(context, p, size.depth, to.plane); }, wait);
}

}  // namespace heddle::cuda_api
