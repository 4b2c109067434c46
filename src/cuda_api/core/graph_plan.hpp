// How a graph is run: its nodes in an order, spread over lanes. Each lane becomes a queue, with events where an edge
// goes from one lane to another.
#pragma once

#include <optional>
#include <vector>

#include "cuda_api/core/graph.hpp"

namespace heddle::cuda_api {

struct GraphStep {
  CUgraphNode_st* node = nullptr;  // null: a point that joins others
  unsigned lane = 0;
  bool recorded = false;        // another lane waits for it
  bool forked = false;          // the first of its lane that waits for nothing else: for the beginning of the launch
  std::vector<unsigned> waits;  // for these steps
  std::vector<unsigned> dependencies;
};

struct GraphPlan {
  static constexpr unsigned most_lanes = 8;  // of a device
  std::vector<GraphStep> steps;
  std::vector<Context*> lanes;  // lane 0 is the launch stream's where that is of the same device
  std::vector<unsigned> joins;  // steps that the end of the launch waits for, in addition to lane 0
  std::vector<unsigned> tails;  // the last step of each lane but lane 0
};

// `home`: the device of commands that any device can run. Throws Failure with the node in `bad`: cycles.
GraphPlan plan_graph(const CUgraph_st& graph, Context& home, CUgraphNode_st** bad);

}  // namespace heddle::cuda_api
