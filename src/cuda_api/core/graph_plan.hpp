// How a graph is run: its nodes in an order, spread over queues, with events where an edge goes from one queue to
// another (graph/spread.hpp).
#pragma once

#include <vector>

#include "cuda_api/core/graph.hpp"
#include "graph/spread.hpp"

namespace heddle::cuda_api {

struct GraphPlan {
  std::vector<CUgraphNode_st*> nodes;  // by step; null: a point where others meet
  graph::Spread spread;
  std::vector<Context*> queues;  // the device of each; queue 0 is the launch stream's where that is of the same device
};

// `home`: the device of what any device can do. Throws Failure with the node in `bad`: cycles.
GraphPlan plan_graph(const CUgraph_st& graph, Context& home, CUgraphNode_st** bad);

}  // namespace heddle::cuda_api
