#include "cuda_api/core/graph_command.hpp"

#include <fmt/format.h>

#include "cuda_api/core/box.hpp"
#include "cuda_api/core/host_function.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/wait_line.hpp"

namespace heddle::cuda_api {

void KernelCommand::put(heddle::Queue& queue) const {
  note_launch(kernel->name());
  queue.launch(kernel->on(*context), {shape(grid), shape(block), shared, cooperative}, arguments);
}

void KernelCommand::prepare() const { kernel->prepare(*context, kernel->on(*context), shape(block)); }

bool CopyCommand::is_empty() const {
  return parameters.extent.width == 0 || parameters.extent.height == 0 || parameters.extent.depth == 0;
}

void CopyCommand::put(heddle::Queue& queue) const {
  if (is_empty()) return;
  if (is_flat()) return queue.copy(to.span, from.span);
  const cudaPitchedPtr &d = parameters.dstPtr, &s = parameters.srcPtr;
  const cudaExtent& size = parameters.extent;
  queue.copy(MemoryBox{to.span.device, to.span.address, d.pitch, d.pitch * d.ysize},
             MemoryBox{from.span.device, from.span.address, s.pitch, s.pitch * s.ysize},
             {size.width, size.height, size.depth});
}

void FillCommand::put(heddle::Queue& queue) const {
  if (is_empty()) return;
  const cudaMemsetParams& p = parameters;
  if (is_flat()) return queue.fill(to.span, p.value, p.elementSize);
  queue.fill(MemoryBox{to.span.device, to.span.address, p.pitch, plane}, {p.width * p.elementSize, p.height, depth},
             p.value, p.elementSize);
}

void HostCommand::put(heddle::Queue& queue) const {
  queue.call([call = parameters] { run_host_function(call.fn, call.userData); });
}

namespace {

const heddle::Event& live_event(const CUevent_st* event) {
  if (!event->alive.load(std::memory_order_acquire))
    throw Failure(cudaErrorInvalidResourceHandle, "an event of a graph's node was destroyed");
  return *event->event;
}

}  // namespace

void RecordCommand::put(heddle::Queue& queue) const {
  queue.record(live_event(event));
  event->recorded = true;
}

void WaitCommand::put(heddle::Queue& queue) const {
  const heddle::Event& awaited = live_event(event);
  if (event->recorded) queue.wait(awaited);
}

cudaGraphNodeType type_of(const Command& command) {
  constexpr cudaGraphNodeType types[] = {
      cudaGraphNodeTypeKernel,   cudaGraphNodeTypeMemcpy,  cudaGraphNodeTypeMemset,     cudaGraphNodeTypeHost,
      cudaGraphNodeTypeGraph,    cudaGraphNodeTypeEmpty,   cudaGraphNodeTypeWaitEvent,  cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional};
  static_assert(std::size(types) == std::variant_size_v<Command>);
  return types[command.index()];
}

Context* context_of(const Command& command) {
  return std::visit(
      [](const auto& c) -> Context* {
        if constexpr (requires { c.context; })
          return c.context;
        else if constexpr (requires { c.event; })
          return c.event->context;
        else
          return nullptr;
      },
      command);
}

void put(const Command& command, heddle::Queue& queue) {
  std::visit(
      [&](const auto& c) {
        if constexpr (requires { c.put(queue); }) c.put(queue);
      },
      command);
}

namespace {

// How many bytes lie between the first and the last of a box.
std::size_t span_of(const cudaExtent& size, std::size_t row, std::size_t plane) {
  return plus(plus(times(size.depth - 1, plane), times(size.height - 1, row)), size.width);
}

}  // namespace

CopyCommand copy_command(Context& context, const cudaMemcpy3DParms& p) {
  CopyCommand command{&context, p, {}, {}};
  if (command.is_empty()) return command;
  const auto end = [&](const cudaPitchedPtr& side, const cudaPos& at) {
    const std::size_t plane = times(side.pitch, side.ysize), size = span_of(p.extent, side.pitch, plane);
    const std::byte* const begin = address_in_box(side.ptr, {at.x, at.y, at.z}, side.pitch, plane);
    check_addresses(begin, size);
    return find_end(Process::get().memory, begin, size);
  };
  command.to = end(p.dstPtr, p.dstPos);
  command.from = end(p.srcPtr, p.srcPos);
  check_direction(command.to, command.from, p.kind);
  return command;
}

CopyCommand copy_command(Context& context, void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p = {};
  p.dstPtr = {to, size, size, 1};
  p.srcPtr = {const_cast<void*>(from), size, size, 1};
  p.extent = {size, 1, 1};
  p.kind = kind;
  return copy_command(context, p);
}

FillCommand fill_command(Context& context, const cudaMemsetParams& p, std::size_t depth, std::size_t plane) {
  FillCommand command{&context, p, depth, plane, {}};
  if (command.is_empty()) return command;
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
    throw Failure(cudaErrorInvalidValue,
                  fmt::format("a fill with values of {} bytes; 1, 2 and 4 can be", p.elementSize));
  command.to =
      find_end(Process::get().memory, p.dst, span_of({times(p.width, p.elementSize), p.height, depth}, p.pitch, plane));
  if (!command.to.known)
    throw Failure(cudaErrorInvalidValue, fmt::format("a fill of {}, which is not memory of a device", p.dst));
  return command;
}

}  // namespace heddle::cuda_api
