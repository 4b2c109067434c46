// Nodes of graphs: adding them, and asking for and changing their parameters, kind by kind.
#include <cstring>

#include "cuda_api/runtime/graph_call.hpp"

using namespace heddle::cuda_api;

namespace {

// What is common to all changes: of a node in a graph, and of its copy in an executable graph.
template <class Make>
cudaError_t set(const char* function, cudaGraphNode_t node, Make&& make) {
  return with_context(function, [&](Context& context) { set_command(node_of(node), make(context)); });
}

template <class Make>
cudaError_t set_in_exec(const char* function, cudaGraphExec_t exec, cudaGraphNode_t node, Make&& make) {
  return with_context(function, [&](Context& context) {
    CUgraphExec_st& changed = exec_of(exec);
    const heddle::base::Lock lock(changed.mutex);
    CUgraphNode_st& copy = node_in(changed, node);
    Command command = make(context);
    if (auto* kernel = std::get_if<KernelCommand>(&command)) {
      const auto& old = command_in<KernelCommand>(copy);
      kernel->cooperative = old.cooperative;
      kernel->priority = old.priority;
      kernel->hints = old.hints;
    }
    change_node(copy, std::move(command));
  });
}

template <class T, class Get>
cudaError_t get(const char* function, cudaGraphNode_t node, T* place, Get&& value) {
  return guarded(function, [&] {
    CUgraphNode_st& asked = node_of(node);
    require(place, cudaErrorInvalidValue, "no place for the parameters");
    *place = value(asked);
  });
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                                   const cudaKernelNodeParams* p) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context& context, CUgraph_st&) -> Command { return kernel_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                                   const cudaMemcpy3DParms* p) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context& context, CUgraph_st&) -> Command { return copy_node_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                           const cudaGraphNode_t* dependencies, std::size_t count,
                                                           const void* symbol, const void* from, std::size_t size,
                                                           std::size_t offset, cudaMemcpyKind kind) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context& context, CUgraph_st&) -> Command {
                        return copy_to_symbol(context, symbol, from, size, offset, kind);
                      });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                             const cudaGraphNode_t* dependencies, std::size_t count,
                                                             void* to, const void* symbol, std::size_t size,
                                                             std::size_t offset, cudaMemcpyKind kind) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context& context, CUgraph_st&) -> Command {
                        return copy_from_symbol(context, to, symbol, size, offset, kind);
                      });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* dependencies, std::size_t count, void* to,
                                                     const void* from, std::size_t size, cudaMemcpyKind kind) {
  return add_to_graph(
      __func__, node, graph, dependencies, count, nullptr,
      [&](Context& context, CUgraph_st&) -> Command { return copy_command(context, to, from, size, kind); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                                   const cudaMemsetParams* p) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context& context, CUgraph_st&) -> Command { return fill_node_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                                 const cudaHostNodeParams* p) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context&, CUgraph_st&) -> Command { return host_command(p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                                       cudaGraph_t child) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context&, CUgraph_st&) -> Command { return child_command(child, false); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context&, CUgraph_st&) -> Command { return EmptyCommand{}; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                                        cudaEvent_t event) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context&, CUgraph_st&) -> Command { return RecordCommand{&event_of_node(event)}; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                                      cudaEvent_t event) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context&, CUgraph_st&) -> Command { return WaitCommand{&event_of_node(event)}; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                                     cudaMemAllocNodeParams* p) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context&, CUgraph_st& into) -> Command { return allocate_command(p, into); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* dependencies, std::size_t count, void* p) {
  return add_to_graph(__func__, node, graph, dependencies, count, nullptr,
                      [&](Context&, CUgraph_st&) -> Command { return free_command_of(p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return set(__func__, node, [&](Context& context) { return kernel_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                             const cudaKernelNodeParams* p) {
  return set_in_exec(__func__, exec, node, [&](Context& context) { return kernel_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return set(__func__, node, [&](Context& context) { return copy_node_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                             const cudaMemcpy3DParms* p) {
  return set_in_exec(__func__, exec, node, [&](Context& context) { return copy_node_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                                 const void* from, std::size_t size, std::size_t offset,
                                                                 cudaMemcpyKind kind) {
  return set(__func__, node,
             [&](Context& context) { return copy_to_symbol(context, symbol, from, size, offset, kind); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                     const void* symbol, const void* from,
                                                                     std::size_t size, std::size_t offset,
                                                                     cudaMemcpyKind kind) {
  return set_in_exec(__func__, exec, node,
                     [&](Context& context) { return copy_to_symbol(context, symbol, from, size, offset, kind); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                                   std::size_t size, std::size_t offset,
                                                                   cudaMemcpyKind kind) {
  return set(__func__, node,
             [&](Context& context) { return copy_from_symbol(context, to, symbol, size, offset, kind); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                       void* to, const void* symbol, std::size_t size,
                                                                       std::size_t offset, cudaMemcpyKind kind) {
  return set_in_exec(__func__, exec, node,
                     [&](Context& context) { return copy_from_symbol(context, to, symbol, size, offset, kind); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                                           std::size_t size, cudaMemcpyKind kind) {
  return set(__func__, node, [&](Context& context) { return copy_command(context, to, from, size, kind); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                               const void* from, std::size_t size,
                                                               cudaMemcpyKind kind) {
  return set_in_exec(__func__, exec, node,
                     [&](Context& context) { return copy_command(context, to, from, size, kind); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  return set(__func__, node, [&](Context& context) { return fill_node_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                             const cudaMemsetParams* p) {
  return set_in_exec(__func__, exec, node, [&](Context& context) { return fill_node_command(context, p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return set(__func__, node, [&](Context&) { return host_command(p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                           const cudaHostNodeParams* p) {
  return set_in_exec(__func__, exec, node, [&](Context&) { return host_command(p); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(__func__, node, [&](Context&) { return RecordCommand{&event_of_node(event)}; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                 cudaEvent_t event) {
  return set_in_exec(__func__, exec, node, [&](Context&) { return RecordCommand{&event_of_node(event)}; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(__func__, node, [&](Context&) { return WaitCommand{&event_of_node(event)}; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                               cudaEvent_t event) {
  return set_in_exec(__func__, exec, node, [&](Context&) { return WaitCommand{&event_of_node(event)}; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) { return parameters_of(n); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) { return command_in<CopyCommand>(n).parameters; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) { return command_in<FillCommand>(n).parameters; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) { return command_in<HostCommand>(n).parameters; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) { return command_in<ChildCommand>(n).graph; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) { return command_in<RecordCommand>(n).event; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) { return command_in<WaitCommand>(n).event; });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
  return get(__func__, node, p, [](CUgraphNode_st& n) {
    auto& command = command_in<AllocateCommand>(n);
    command.parameters.accessDescs = command.access.empty() ? nullptr : command.access.data();
    return command.parameters;
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* p) {
  return get(__func__, node, static_cast<std::uint64_t*>(p),
             [](CUgraphNode_st& n) { return command_in<FreeCommand>(n).memory->address(); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                 cudaGraph_t child) {
  return with_context(__func__, [&](Context&) {
    CUgraphExec_st& changed = exec_of(exec);
    const cudaGraphExecUpdateResultInfo result = update_child(changed, node_in(changed, node), graph_of(child));
    require(result.result == cudaGraphExecUpdateSuccess, cudaErrorInvalidValue,
            "the child graph has another shape, or nodes that cannot be changed so");
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  return with_context(__func__, [&](Context& context) {
    CUgraphNode_st& changed = node_of(node);
    require(p && p->type == type_of(changed.command), cudaErrorInvalidValue, "no parameters, or of another type");
    require(p->type < cudaGraphNodeTypeMemAlloc && p->type != cudaGraphNodeTypeGraph, cudaErrorInvalidValue,
            "the parameters of such a node cannot be changed");
    set_command(changed, command_of(context, *p, *changed.graph));
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       cudaGraphNodeParams* p) {
  if (p && p->type == cudaGraphNodeTypeGraph) return cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
  return set_in_exec(__func__, exec, node, [&](Context& context) {
    require(p && p->type == type_of(node->command) && p->type < cudaGraphNodeTypeMemAlloc, cudaErrorInvalidValue,
            "no parameters, or of another type, or of one that cannot be changed");
    return command_of(context, *p, *node->graph);
  });
}

// Attributes of kernels: cooperative launches and priorities mean something here; the others are hints and are kept.
namespace {

void set_attribute(KernelCommand& kernel, int attribute, const void* value) {
  int number = 0;
  std::memcpy(&number, value, sizeof number);
  std::array<unsigned, 3> cluster = {};
  std::memcpy(cluster.data(), value, sizeof cluster);
  switch (attribute) {
    case cudaLaunchAttributeIgnore: return;
    case cudaLaunchAttributeCooperative: kernel.cooperative = number != 0; return;
    case cudaLaunchAttributePriority: kernel.priority = number; return;
    case cudaLaunchAttributeClusterDimension:
      if (std::any_of(cluster.begin(), cluster.end(), [](unsigned n) { return n > 1; }))
        not_supported("a node of a graph that launches clusters of blocks");
      break;
    case 13: not_supported("a node of a graph that a kernel updates (cudaLaunchAttributeDeviceUpdatableKernelNode)");
    default: break;
  }
  require(attribute > 0 && attribute <= 16, cudaErrorInvalidValue, "no attribute of a launch");
  std::memcpy(kernel.hints[attribute].data(), value, 64);
}

}  // namespace

// `value`: 64 bytes.
HEDDLE_CUDA_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute, const void* value) {
  return guarded(__func__, [&] {
    require(value, cudaErrorInvalidValue, "no value");
    set_attribute(command_in<KernelCommand>(node_of(node)), attribute, value);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int attribute, void* value) {
  return guarded(__func__, [&] {
    require(value && attribute > 0 && attribute <= 16, cudaErrorInvalidValue, "no place, or no attribute of a launch");
    const auto& kernel = command_in<KernelCommand>(node_of(node));
    std::memset(value, 0, 64);
    const int cooperative = kernel.cooperative;
    const auto hint = kernel.hints.find(attribute);
    if (attribute == cudaLaunchAttributeCooperative)
      std::memcpy(value, &cooperative, sizeof cooperative);
    else if (attribute == cudaLaunchAttributePriority)
      std::memcpy(value, &kernel.priority, sizeof kernel.priority);
    else if (hint != kernel.hints.end())
      std::memcpy(value, hint->second.data(), hint->second.size());
  });
}

// Headers of CUDA 12 name the two nodes the other way round than its documentation, its driver and CUDA 13 do.
HEDDLE_CUDA_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return guarded(__func__, [&] {
    const auto& source = command_in<KernelCommand>(node_of(from));
    auto& copy = command_in<KernelCommand>(node_of(to));
    copy.cooperative = source.cooperative;
    copy.priority = source.priority;
    copy.hints = source.hints;
  });
}
