// Executable graphs: a copy of the graph, prepared for many launches.
#pragma once

#include <unordered_map>

#include "base/thread_safety.hpp"
#include "cuda_api/core/graph_memory.hpp"
#include "cuda_api/core/graph_plan.hpp"

// What a cudaGraphExec_t points to; kept like streams.
struct CUgraphExec_st {
  std::atomic<bool> alive{false};
  heddle::base::Mutex mutex;  // launches run one after the other
  heddle::cuda_api::Context* home = nullptr;
  std::uint64_t epoch = 0;
  unsigned long long flags = 0;
  CUgraph_st* graph = nullptr;                               // its own
  std::unordered_map<std::uint64_t, CUgraphNode_st*> nodes;  // by the number of the node that each is a copy of
  heddle::cuda_api::GraphPlan plan;
  std::vector<std::optional<heddle::Queue>> queues;  // by lane; lane 0 only once it is needed
  std::vector<std::optional<heddle::Event>> events;  // by step: where it is recorded
  std::optional<heddle::Event> fork, end;
  std::shared_ptr<void> watched;
  std::uint64_t last_stream = 0;  // where it was launched last; 0: nowhere yet
  std::vector<std::shared_ptr<heddle::cuda_api::GraphMemory>> allocated, freed;
  std::vector<std::shared_ptr<heddle::cuda_api::GraphCondition>> conditions;  // of it and the graphs within
  std::shared_ptr<std::atomic<bool>> only;                                    // the graph's mark that it has this one
};

namespace heddle::cuda_api {

// Throws the errors of the graph, with the node in `bad` if it is a node.
CUgraphExec_st& instantiate(CUgraph_st& graph, Context& context, unsigned long long flags, CUgraphNode_st** bad);
// Waits for the launches in flight.
void destroy_exec(CUgraphExec_st& exec);
CUgraphExec_st& exec_of(cudaGraphExec_t handle);  // throws cudaErrorInvalidValue
// Puts all of it into the stream, after its earlier launches.
void launch_graph(CUgraphExec_st& exec, CUstream_st& stream);
// Its copy of a node of the graph that it was made of. Throws cudaErrorInvalidValue.
CUgraphNode_st& node_in(CUgraphExec_st& exec, cudaGraphNode_t node);
// Gives a node other parameters, from the next launch on. Throws cudaErrorInvalidValue for a parameter that cannot
// change.
void change_node(CUgraphNode_st& node, Command command);
// The whole of it, from a graph of the same shape. It changes everything or nothing.
cudaGraphExecUpdateResultInfo update_exec(CUgraphExec_st& exec, CUgraph_st& graph);
// A child graph's nodes alone.
cudaGraphExecUpdateResultInfo update_child(CUgraphExec_st& exec, CUgraphNode_st& node, CUgraph_st& graph);

}  // namespace heddle::cuda_api
