// Graphs as wholes: making, copying, asking what is in them, user objects, memory.
#include "cuda_api/core/graph_condition.hpp"
#include "cuda_api/runtime/graph_call.hpp"

using namespace heddle::cuda_api;

HEDDLE_CUDA_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  HEDDLE_ARGUMENTS(graph, flags);
  return with_context(__func__, [&](Context&) {
    require(graph && flags == 0, cudaErrorInvalidValue, "no place for the graph, or unknown flags");
    *graph = &make_graph();
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  HEDDLE_ARGUMENTS(graph);
  return guarded(__func__, [&] {
    CUgraph_st& ended = graph_of(graph);
    require(!ended.owned, cudaErrorInvalidValue, "a child graph goes with the node that it belongs to");
    destroy_graph(ended);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  HEDDLE_ARGUMENTS(clone, graph);
  return guarded(__func__, [&] {
    require(clone, cudaErrorInvalidValue, "no place for the graph");
    *clone = &clone_graph(graph_of(graph));
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                                     cudaGraph_t clone) {
  HEDDLE_ARGUMENTS(node, original, clone);
  return guarded(__func__, [&] {
    require(node, cudaErrorInvalidValue, "no place for the node");
    CUgraphNode_st* const found = find_in_clone(node_of(original), graph_of(clone));
    require(found, cudaErrorInvalidValue, "the graph has no copy of the node");
    *node = found;
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  HEDDLE_ARGUMENTS(node);
  return guarded(__func__, [&] {
    CUgraphNode_st& ended = node_of(node);
    require(!has_memory_nodes(*ended.graph), cudaErrorNotSupported,
            "a graph with nodes that allocate or free memory keeps its nodes");
    remove_node(ended);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  HEDDLE_ARGUMENTS(node, type);
  return guarded(__func__, [&] {
    require(type, cudaErrorInvalidValue, "no place for the type");
    *type = type_of(node_of(node).command);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  HEDDLE_ARGUMENTS(graph, nodes, count);
  return guarded(__func__, [&] { answer(graph_of(graph).nodes, nodes, count, count ? *count : 0); });
}

HEDDLE_CUDA_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  HEDDLE_ARGUMENTS(graph, nodes, count);
  return guarded(__func__, [&] {
    std::vector<cudaGraphNode_t> roots;
    for (CUgraphNode_st* node : graph_of(graph).nodes)
      if (node->in.empty()) roots.push_back(node);
    answer(roots, nodes, count, count ? *count : 0);
  });
}

HEDDLE_CUDA_API cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy,
                                                 unsigned count, unsigned flags) {
  HEDDLE_ARGUMENTS(object, data, destroy, count, flags);
  return guarded(__func__, [&] {
    require(object && destroy && count > 0 && count <= 0x7fffffffu, cudaErrorInvalidValue,
            "no place for the object, no destructor, or no references");
    require(flags == cudaUserObjectNoDestructorSync, cudaErrorInvalidValue,
            "a user object is made with cudaUserObjectNoDestructorSync");
    *object = &make_user_object(data, destroy, count);
  });
}

HEDDLE_CUDA_API cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  HEDDLE_ARGUMENTS(object, count);
  return guarded(__func__, [&] {
    require(count > 0 && count <= 0x7fffffffu, cudaErrorInvalidValue, "no number of references");
    retain(user_object_of(object), count);
  });
}

HEDDLE_CUDA_API cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  HEDDLE_ARGUMENTS(object, count);
  return guarded(__func__, [&] {
    require(count > 0 && count <= 0x7fffffffu, cudaErrorInvalidValue, "no number of references");
    release(user_object_of(object), count);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                                      unsigned flags) {
  HEDDLE_ARGUMENTS(graph, object, count, flags);
  return guarded(__func__, [&] {
    require(count > 0 && count <= 0x7fffffffu && (flags & ~unsigned{cudaGraphUserObjectMove}) == 0,
            cudaErrorInvalidValue, "no number of references, or unknown flags");
    graph_of(graph).objects->add(user_object_of(object), count, flags == cudaGraphUserObjectMove);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  HEDDLE_ARGUMENTS(graph, object, count);
  return guarded(__func__, [&] {
    require(count > 0 && count <= 0x7fffffffu, cudaErrorInvalidValue, "no number of references");
    graph_of(graph).objects->remove(user_object_of(object), count);
  });
}

// What graphs allocate is held while they are there, and given back with them.
HEDDLE_CUDA_API cudaError_t cudaDeviceGraphMemTrim(int device) {
  HEDDLE_ARGUMENTS(device);
  return guarded(__func__, [&] { Process::get().context(device); });
}

HEDDLE_CUDA_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                                           void* value) {
  HEDDLE_ARGUMENTS(device, attribute, value);
  return guarded(__func__, [&] {
    const GraphMemoryUse use = graph_memory_use(Process::get().context(device));
    require(value && static_cast<unsigned>(attribute) <= cudaGraphMemAttrReservedMemHigh, cudaErrorInvalidValue,
            "no place for the value, or no attribute");
    const std::uint64_t values[] = {use.used, use.used_high, use.reserved, use.reserved_high};
    *static_cast<std::uint64_t*>(value) = values[attribute];
  });
}

HEDDLE_CUDA_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                                           void* value) {
  HEDDLE_ARGUMENTS(device, attribute, value);
  return guarded(__func__, [&] {
    const Context& context = Process::get().context(device);
    const bool used = attribute == cudaGraphMemAttrUsedMemHigh;
    require(value && (used || attribute == cudaGraphMemAttrReservedMemHigh) && *static_cast<std::uint64_t*>(value) == 0,
            cudaErrorInvalidValue, "only the highest values can be set, and to 0");
    reset_graph_memory_high(context, used);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* made, cudaGraph_t graph,
                                                             unsigned value, unsigned flags) {
  HEDDLE_ARGUMENTS(made, graph, value, flags);
  return with_context(__func__, [&](Context& context) {
    require(made && (flags & ~unsigned{cudaGraphCondAssignDefault}) == 0, cudaErrorInvalidValue,
            "no place for the handle, or unknown flags");
    CUgraph_st& of = graph_of(graph);
    of.conditions.push_back(make_condition(context, value, (flags & cudaGraphCondAssignDefault) != 0));
    *made = of.conditions.back()->handle();
  });
}
