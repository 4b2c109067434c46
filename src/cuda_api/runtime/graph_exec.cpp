// Executable graphs: launching them, and what of them can be changed.
#include "cuda_api/runtime/graph_exec.hpp"

#include "cuda_api/core/capture.hpp"
#include "cuda_api/runtime/launch.hpp"

namespace heddle::cuda_api {
namespace {

void check_cooperative_nodes(const CUgraph_st& graph, CUgraphNode_st** bad) {
  for (CUgraphNode_st* node : graph.nodes) {
    const auto* kernel = std::get_if<KernelCommand>(&node->command);
    try {
      if (kernel && kernel->cooperative)
        check_cooperative(*kernel->context, *kernel->kernel, kernel->kernel->on(*kernel->context),
                          {kernel->grid, kernel->block, kernel->shared, nullptr, true});
    } catch (const Failure&) {
      if (bad) *bad = node;
      throw;
    }
    for (const CUgraph_st* within : graphs_within(node->command)) check_cooperative_nodes(*within, bad);
  }
}

}  // namespace

CUgraphExec_st& instantiate_call(Context& context, cudaGraph_t graph, unsigned long long flags, CUgraphNode_st** bad) {
  constexpr unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                       cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
  require((flags & ~known) == 0, cudaErrorInvalidValue, "unknown flags");
  if (flags & cudaGraphInstantiateFlagDeviceLaunch)
    not_supported("a graph that kernels launch (cudaGraphInstantiateFlagDeviceLaunch)");
  check_cooperative_nodes(graph_of(graph), bad);
  CUgraphExec_st* made = nullptr;
  launching([&] { made = &instantiate(graph_of(graph), context, flags, bad); });
  return *made;
}

cudaGraphExecUpdateResultInfo update_call(cudaGraphExec_t exec, cudaGraph_t graph) {
  return update_exec(exec_of(exec), graph_of(graph));
}

}  // namespace heddle::cuda_api

using namespace heddle::cuda_api;

namespace {

// Captured, a launch is a child graph.
cudaError_t launch_call(const char* function, cudaGraphExec_t exec, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUgraphExec_st& launched = exec_of(exec);
    CUstream_st& into = context.stream(stream, per_thread);
    const bool captured = capture(into, [&] {
      const heddle::base::Lock lock(launched.mutex);
      CUgraph_st& child = clone_graph(*launched.graph);
      child.owned = true;
      return ChildCommand{&child};
    });
    if (!captured) launching([&] { launch_graph(launched, into); });
  });
}

// Code is made and addresses are found when the graph is instantiated: there is nothing left to send ahead.
cudaError_t upload(const char* function, cudaGraphExec_t exec, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    exec_of(exec);
    forbid_in_capture(context.stream(stream, per_thread), "cudaGraphUpload");
  });
}

cudaError_t with_params(const char* function, cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphInstantiateParams* p,
                        bool per_thread) {
  CUgraphNode_st* bad = nullptr;
  const cudaError_t code = with_context(function, [&](Context& context) {
    require(exec && p, cudaErrorInvalidValue, "no place for the executable graph, or no parameters");
    if (p->flags & cudaGraphInstantiateFlagUpload) context.stream(p->uploadStream, per_thread);
    *exec = &instantiate_call(context, graph, p->flags, &bad);
  });
  if (!p) return code;
  p->errNode_out = bad;
  p->result_out = code == cudaSuccess             ? cudaGraphInstantiateSuccess
                  : code == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                  : bad                           ? cudaGraphInstantiateInvalidStructure
                                                  : cudaGraphInstantiateError;
  return code;
}

bool can_be_disabled(const CUgraphNode_st& node) { return type_of(node.command) <= cudaGraphNodeTypeMemset; }

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                          unsigned long long flags) {
  HEDDLE_ARGUMENTS(exec, graph, flags);
  return with_context(__func__, [&](Context& context) {
    require(exec, cudaErrorInvalidValue, "no place for the executable graph");
    *exec = &instantiate_call(context, graph, flags, nullptr);
  });
}

HEDDLE_CUDA_SZ(cudaGraphInstantiateWithParams,
               (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams* p), {
                 HEDDLE_ARGUMENTS(exec, graph, p);
                 return with_params(__func__, exec, graph, p, per_thread);
               })

HEDDLE_CUDA_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  HEDDLE_ARGUMENTS(exec, flags);
  return guarded(__func__, [&] {
    require(flags, cudaErrorInvalidValue, "no place for the flags");
    *flags = exec_of(exec).flags & ~static_cast<unsigned long long>(cudaGraphInstantiateFlagUpload);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  HEDDLE_ARGUMENTS(exec);
  return guarded(__func__, [&] { destroy_exec(exec_of(exec)); });
}

HEDDLE_CUDA_SZ(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(exec, stream);
  return launch_call(__func__, exec, stream, per_thread);
})
HEDDLE_CUDA_SZ(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(exec, stream);
  return upload(__func__, exec, stream, per_thread);
})

HEDDLE_CUDA_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  HEDDLE_ARGUMENTS(exec, node, enabled);
  return guarded(__func__, [&] {
    CUgraphExec_st& changed = exec_of(exec);
    const heddle::base::Lock lock(changed.mutex);
    CUgraphNode_st& copy = node_in(changed, node);
    require(can_be_disabled(copy), cudaErrorInvalidValue, "only nodes that launch, copy or fill can be disabled");
    copy.enabled = enabled != 0;
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  HEDDLE_ARGUMENTS(exec, node, enabled);
  return guarded(__func__, [&] {
    CUgraphNode_st& copy = node_in(exec_of(exec), node);
    require(enabled && can_be_disabled(copy), cudaErrorInvalidValue,
            "no place for the answer, or a node that is no launch, copy or fill");
    *enabled = copy.enabled;
  });
}
