// Parameters of nodes, from and to programs.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "cuda_api/core/array.hpp"
#include "cuda_api/core/box.hpp"
#include "cuda_api/core/graph_condition.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/runtime/graph_call.hpp"
#include "cuda_api/runtime/launch.hpp"
#include "cuda_api/runtime/symbol.hpp"

namespace heddle::cuda_api {
namespace {

// The list that `extra` is: pairs of a name and a value.
constexpr std::uintptr_t extra_end = 0, extra_buffer = 1, extra_size = 2;

std::vector<std::byte> packed(const LoadedKernel& kernel, void** extra) {
  const std::byte* buffer = nullptr;
  std::size_t size = 0;
  for (void** entry = extra; reinterpret_cast<std::uintptr_t>(*entry) != extra_end; entry += 2) {
    const auto name = reinterpret_cast<std::uintptr_t>(*entry);
    require(name == extra_buffer || name == extra_size, cudaErrorInvalidValue, "`extra` has an entry that is none");
    if (name == extra_buffer)
      buffer = static_cast<const std::byte*>(entry[1]);
    else
      size = *static_cast<const std::size_t*>(entry[1]);
  }
  std::vector<std::byte> bytes(kernel.parameter_bytes());
  const std::size_t needed =
      kernel.parameters().empty() ? 0 : kernel.parameters().back().offset + kernel.parameters().back().size;
  if (needed > 0 && (!buffer || size < needed))
    throw Failure(cudaErrorInvalidValue, fmt::format("{} bytes of arguments; the kernel takes {}", size, needed));
  if (needed > 0) std::memcpy(bytes.data(), buffer, needed);
  return bytes;
}

}  // namespace

KernelCommand kernel_command(Context& context, const cudaKernelNodeParams* p) {
  require(p, cudaErrorInvalidValue, "no parameters");
  require(!p->kernelParams || !p->extra, cudaErrorInvalidValue, "arguments are given in two ways");
  KernelEntry& kernel = registry().kernel(p->func);
  const LaunchCall call{p->gridDim, p->blockDim, p->sharedMemBytes};
  const LoadedKernel& loaded = kernel.on(context);
  check_shape(context, kernel, kernel.on(context), call);
  KernelCommand command = kernel_command(context, kernel, call,
                                         p->extra ? packed(loaded, p->extra) : pack_arguments(loaded, p->kernelParams));
  command.function = p->func;
  command.as_buffer = p->extra != nullptr;
  return command;
}

cudaKernelNodeParams parameters_of(CUgraphNode_st& node) {
  auto& command = command_in<KernelCommand>(node);
  cudaKernelNodeParams p = {command.function, command.grid, command.block, command.shared, nullptr, nullptr};
  if (command.as_buffer) {
    node.bytes = command.arguments.size();
    node.extra = {reinterpret_cast<void*>(extra_buffer), command.arguments.data(), reinterpret_cast<void*>(extra_size),
                  &node.bytes, nullptr};
    p.extra = node.extra.data();
    return p;
  }
  node.pointers.clear();
  for (const ParameterPlace& place : command.kernel->on(*command.context).parameters())
    node.pointers.push_back(command.arguments.data() + place.offset);
  if (!node.pointers.empty()) p.kernelParams = node.pointers.data();
  return p;
}

CopyCommand copy_node_command(Context& context, const cudaMemcpy3DParms* given) {
  require(given, cudaErrorInvalidValue, "no parameters");
  const cudaMemcpy3DParms p = without_arrays(*given);
  require(p.extent.height <= 1 || (p.extent.width <= p.dstPtr.pitch && p.extent.width <= p.srcPtr.pitch),
          cudaErrorInvalidPitchValue, "a row is wider than the pitch");
  return copy_command(context, p);
}

CopyCommand copy_to_symbol(Context& context, const void* symbol, const void* from, std::size_t size, std::size_t offset,
                           cudaMemcpyKind kind) {
  require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection, "a copy to a variable comes from the host or a device");
  return copy_command(context, reinterpret_cast<void*>(locate(context, symbol) + offset), from, size, kind);
}

CopyCommand copy_from_symbol(Context& context, void* to, const void* symbol, std::size_t size, std::size_t offset,
                             cudaMemcpyKind kind) {
  require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection, "a copy from a variable goes to the host or a device");
  return copy_command(context, to, reinterpret_cast<const void*>(locate(context, symbol) + offset), size, kind);
}

FillCommand fill_node_command(Context& context, const cudaMemsetParams* p) {
  require(p, cudaErrorInvalidValue, "no parameters");
  require(p->height <= 1 || times(p->width, p->elementSize) <= p->pitch, cudaErrorInvalidPitchValue,
          "a row is wider than the pitch");
  return fill_command(context, *p);
}

HostCommand host_command(const cudaHostNodeParams* p) {
  require(p && p->fn, cudaErrorInvalidValue, "no function to call");
  return {*p};
}

CUevent_st& event_of_node(cudaEvent_t event) {
  require(Process::get().handles.events.is_alive(event), cudaErrorInvalidValue,
          "the event was not made, or was destroyed");
  return *event;
}

AllocateCommand allocate_command(cudaMemAllocNodeParams* p, const CUgraph_st& graph) {
  require(p && p->bytesize > 0, cudaErrorInvalidValue, "no parameters, or no bytes to allocate");
  require(
      p->poolProps.allocType == cudaMemAllocationTypePinned && p->poolProps.location.type == cudaMemLocationTypeDevice,
      cudaErrorInvalidValue, "graphs allocate memory of a device");
  if (p->poolProps.handleTypes != cudaMemHandleTypeNone) not_supported("memory of a graph that other processes share");
  AllocateCommand command;
  command.memory = GraphMemory::make(Process::get().context(p->poolProps.location.id), p->bytesize, graph.id);
  p->dptr = reinterpret_cast<void*>(command.memory->address());
  command.parameters = *p;
  const auto access = list_of(p->accessDescs, p->accessDescCount);
  command.access.assign(access.begin(), access.end());
  return command;
}

FreeCommand free_command_of(void* p) {
  const std::optional<Block> block = Process::get().memory.find(reinterpret_cast<std::uint64_t>(p));
  std::shared_ptr<GraphMemory> memory = block ? block->of_graph.lock() : nullptr;
  require(memory && memory->address() == reinterpret_cast<std::uint64_t>(p), cudaErrorInvalidValue,
          "a node frees what no node of a graph allocates");
  return free_command(std::move(memory));
}

ChildCommand child_command(cudaGraph_t child, bool move) {
  CUgraph_st& graph = graph_of(child);
  require(!move || !graph.owned, cudaErrorInvalidValue, "the graph belongs to a node already");
  CUgraph_st& own = move ? graph : clone_graph(graph);
  own.owned = true;
  return {&own};
}

namespace {

// The structures of cudaGraphNodeParams have names of their own and the layouts of the older ones.
template <class Old, class New>
Old old_form(const New& p) {
  return std::bit_cast<Old>(p);
}

AllocateCommand allocate_command_of(cudaMemAllocNodeParamsV2& p, const CUgraph_st& graph) {
  auto old = old_form<cudaMemAllocNodeParams>(p);
  AllocateCommand command = allocate_command(&old, graph);
  p.dptr = old.dptr;
  return command;
}

KernelCommand kernel_command_of(Context& context, const cudaKernelNodeParamsV2& p) {
  const cudaKernelNodeParams old{p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
  return kernel_command(context, &old);
}

// Its graphs are empty, for the program to fill.
ConditionalCommand conditional_command(cudaConditionalNodeParams& p) {
  const unsigned most = p.type == cudaGraphCondTypeIf ? 2 : p.type == cudaGraphCondTypeWhile ? 1 : ~0u;
  require(static_cast<unsigned>(p.type) <= cudaGraphCondTypeSwitch && p.size >= 1 && p.size <= most,
          cudaErrorInvalidValue, "there is no such kind of a conditional node, or not with so many graphs");
  ConditionalCommand command;
  command.condition = condition_of(p.handle);
  require(!command.condition->used.exchange(true), cudaErrorInvalidValue, "the condition is another node's already");
  command.type = p.type;
  for (unsigned i = 0; i < p.size; ++i) {
    command.bodies.push_back(&make_graph());
    command.bodies.back()->owned = true;
  }
  p.phGraph_out = command.bodies.data();
  return command;
}

}  // namespace

Command command_of(Context& context, cudaGraphNodeParams& p, const CUgraph_st& graph) {
  switch (p.type) {
    case cudaGraphNodeTypeKernel: return kernel_command_of(context, p.kernel);
    case cudaGraphNodeTypeMemcpy: return copy_node_command(context, &p.memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto fill = old_form<cudaMemsetParams>(p.memset);
      return fill_node_command(context, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const auto host = old_form<cudaHostNodeParams>(p.host);
      return host_command(&host);
    }
    case cudaGraphNodeTypeGraph:
      return child_command(p.graph.graph, p.graph.ownership == cudaGraphChildGraphOwnershipMove);
    case cudaGraphNodeTypeEmpty: return EmptyCommand{};
    case cudaGraphNodeTypeWaitEvent: return WaitCommand{&event_of_node(p.eventWait.event)};
    case cudaGraphNodeTypeEventRecord: return RecordCommand{&event_of_node(p.eventRecord.event)};
    case cudaGraphNodeTypeMemAlloc: return allocate_command_of(p.alloc, graph);
    case cudaGraphNodeTypeMemFree: return free_command_of(p.free.dptr);
    case cudaGraphNodeTypeConditional: return conditional_command(p.conditional);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait: not_supported("a node of a graph for an external semaphore");
    default: throw Failure(cudaErrorInvalidValue, fmt::format("{} is no type of a node", static_cast<int>(p.type)));
  }
}

void set_command(CUgraphNode_st& node, Command command) {
  require(command.index() == node.command.index(), cudaErrorInvalidValue,
          "the node is of another type than the call is for");
  if (auto* kernel = std::get_if<KernelCommand>(&command)) {
    const auto& old = std::get<KernelCommand>(node.command);
    kernel->cooperative = old.cooperative;
    kernel->priority = old.priority;
    kernel->hints = old.hints;
  }
  node.command = std::move(command);
}

cudaError_t add_to_graph(const char* function, cudaGraphNode_t* node, cudaGraph_t graph,
                         const cudaGraphNode_t* dependencies, std::size_t count, const cudaGraphEdgeData* data,
                         const std::function<Command(Context&, CUgraph_st&)>& make) {
  return with_context(function, [&](Context& context) {
    require(node, cudaErrorInvalidValue, "no place for the node");
    CUgraph_st& into = graph_of(graph);
    const auto behind = list_of(dependencies, count);
    Command command = make(context, into);
    const std::vector<CUgraph_st*> within = graphs_within(command);
    try {
      *node = &add_node(into, behind, data, std::move(command));
    } catch (...) {
      for (CUgraph_st* graph_within : within)
        if (graph_within->alive.load()) destroy_graph(*graph_within);
      throw;
    }
  });
}

}  // namespace heddle::cuda_api
