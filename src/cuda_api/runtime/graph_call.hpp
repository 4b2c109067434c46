// What the functions about graphs have in common: parameters of nodes as commands, lists that programs read in two
// calls.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "cuda_api/core/graph_exec.hpp"
#include "cuda_api/runtime/call.hpp"

namespace heddle::cuda_api {

// Commands from a program's parameters. Throw what the immediate calls do, and cudaErrorInvalidValue.
KernelCommand kernel_command(Context& context, const cudaKernelNodeParams* parameters);
CopyCommand copy_node_command(Context& context, const cudaMemcpy3DParms* parameters);
CopyCommand copy_to_symbol(Context& context, const void* symbol, const void* from, std::size_t size, std::size_t offset,
                           cudaMemcpyKind kind);
CopyCommand copy_from_symbol(Context& context, void* to, const void* symbol, std::size_t size, std::size_t offset,
                             cudaMemcpyKind kind);
FillCommand fill_node_command(Context& context, const cudaMemsetParams* parameters);
HostCommand host_command(const cudaHostNodeParams* parameters);
CUevent_st& event_of_node(cudaEvent_t event);
AllocateCommand allocate_command(cudaMemAllocNodeParams* parameters, const CUgraph_st& graph);
FreeCommand free_command_of(void* p);
ChildCommand child_command(cudaGraph_t child, bool move);
// Of any kind; `graph`: where the node is or will be.
Command command_of(Context& context, cudaGraphNodeParams& parameters, const CUgraph_st& graph);

// The parameters in CUDA's form; they point into the node until it is changed.
cudaKernelNodeParams parameters_of(CUgraphNode_st& node);

// Another command of the same kind for a node of a graph.
void set_command(CUgraphNode_st& node, Command command);

// A node's command, which must be of this kind.
template <class T>
T& command_in(CUgraphNode_st& node) {
  T* const command = std::get_if<T>(&node.command);
  if (!command) throw Failure(cudaErrorInvalidValue, "the node is of another type than the call is for");
  return *command;
}

template <class T>
std::span<const T> list_of(const T* first, std::size_t count) {
  require(first || count == 0, cudaErrorInvalidValue, "a list that is not there");
  return {first, count};
}

// A list in CUDA's form: without a buffer only its length; else as much as the buffer holds, the rest null.
template <class T>
void answer(const std::vector<T>& all, T* place, std::size_t* count, std::size_t room) {
  require(count, cudaErrorInvalidValue, "no place for the number");
  if (!place) {
    *count = all.size();
    return;
  }
  for (std::size_t i = 0; i < room; ++i) place[i] = i < all.size() ? all[i] : T{};
  *count = std::min(room, all.size());
}

cudaError_t add_to_graph(const char* function, cudaGraphNode_t* node, cudaGraph_t graph,
                         const cudaGraphNode_t* dependencies, std::size_t count, const cudaGraphEdgeData* data,
                         const std::function<Command(Context&, CUgraph_st&)>& make);

}  // namespace heddle::cuda_api
