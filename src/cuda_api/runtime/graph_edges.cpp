// Edges of graphs: asking for them, adding and removing them.
#include "cuda_api/runtime/graph_exec.hpp"

namespace heddle::cuda_api {
namespace {

// Edge data may only be left out where it says nothing.
void check_lossless(const std::vector<GraphEdge>& all, const void* nodes, const cudaGraphEdgeData* edges) {
  require(!edges || nodes, cudaErrorInvalidValue, "a place for data of edges, and none for the edges");
  if (!nodes || edges) return;
  for (const GraphEdge& edge : all)
    require(edge.is_plain(), cudaErrorLossyQuery, "an edge has data, for which there is no place");
}

std::vector<cudaGraphEdgeData> data_of(const std::vector<GraphEdge>& all) {
  std::vector<cudaGraphEdgeData> data;
  for (const GraphEdge& edge : all) data.push_back(edge.data);
  return data;
}

std::vector<cudaGraphNode_t> nodes_of(const std::vector<GraphEdge>& all) {
  std::vector<cudaGraphNode_t> nodes;
  for (const GraphEdge& edge : all) nodes.push_back(edge.node);
  return nodes;
}

}  // namespace

void neighbours_call(const std::vector<GraphEdge>& all, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                     std::size_t* count) {
  check_lossless(all, nodes, edges);
  const std::size_t room = count ? *count : 0;
  answer(nodes_of(all), nodes, count, room);
  if (edges) answer(data_of(all), edges, count, room);
}

void edges_call(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                std::size_t* count) {
  std::vector<GraphEdge> sources;
  std::vector<cudaGraphNode_t> targets;
  for (CUgraphNode_st* node : graph_of(graph).nodes)
    for (const GraphEdge& edge : node->in) {
      sources.push_back(edge);
      targets.push_back(node);
    }
  require((from != nullptr) == (to != nullptr), cudaErrorInvalidValue, "a place for one end of the edges alone");
  check_lossless(sources, from, edges);
  const std::size_t room = count ? *count : 0;
  answer(nodes_of(sources), from, count, room);
  if (to) answer(targets, to, count, room);
  if (edges) answer(data_of(sources), edges, count, room);
}

void connect_call(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                  const cudaGraphEdgeData* edges, std::size_t count, bool add) {
  const CUgraph_st& changed = graph_of(graph);
  const auto sources = list_of(from, count), targets = list_of(to, count);
  for (std::size_t i = 0; i < count; ++i)
    require(node_of(sources[i]).graph == &changed && node_of(targets[i]).graph == &changed, cudaErrorInvalidValue,
            "an edge joins two nodes of the graph");
  require(add || !has_memory_nodes(changed), cudaErrorNotSupported,
          "a graph with nodes that allocate or free memory keeps its edges");
  for (std::size_t i = 0; i < count; ++i) {
    if (add)
      connect(*sources[i], *targets[i], edges ? edges[i] : cudaGraphEdgeData{});
    else
      disconnect(*sources[i], *targets[i]);
  }
}

}  // namespace heddle::cuda_api
