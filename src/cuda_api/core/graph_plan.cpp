#include "cuda_api/core/graph_plan.hpp"

#include <algorithm>
#include <unordered_map>

namespace heddle::cuda_api {
namespace {

// Child graphs are put where their nodes are: their first nodes come behind what the node depends on.
class Flattening {
 public:
  explicit Flattening(CUgraphNode_st** bad) : bad_(bad) {}

  std::vector<CUgraphNode_st*> nodes;     // by step
  std::vector<graph::PlannedTask> tasks;  // the same

  // Returns the steps that all of the graph is done with.
  std::vector<unsigned> add(const CUgraph_st& graph, const std::vector<unsigned>& entry) {
    const auto order = topological_order(graph, bad_);
    if (!order) throw Failure(cudaErrorInvalidValue, "the edges of a graph make a cycle");
    std::unordered_map<const CUgraphNode_st*, std::vector<unsigned>> ends;
    std::vector<unsigned> exits;
    for (CUgraphNode_st* node : *order) {
      std::vector<unsigned> behind = node->in.empty() ? entry : std::vector<unsigned>();
      for (const GraphEdge& edge : node->in) {
        const std::vector<unsigned>& more = ends[edge.node];
        behind.insert(behind.end(), more.begin(), more.end());
      }
      std::vector<unsigned> done = step_of(*node, std::move(behind));
      if (node->out.empty()) exits.insert(exits.end(), done.begin(), done.end());
      ends[node] = std::move(done);
    }
    return exits;
  }

 private:
  std::vector<unsigned> step_of(CUgraphNode_st& node, std::vector<unsigned> behind) {
    const auto* child = std::get_if<ChildCommand>(&node.command);
    if (!child) return {push(&node, std::move(behind))};
    if (behind.size() > 1) behind = {push(nullptr, std::move(behind))};
    std::vector<unsigned> done = add(*child->graph, behind);
    if (done.empty()) return behind;
    if (done.size() > 1) done = {push(nullptr, std::move(done))};
    return done;
  }

  unsigned push(CUgraphNode_st* node, std::vector<unsigned> behind) {
    std::sort(behind.begin(), behind.end());
    behind.erase(std::unique(behind.begin(), behind.end()), behind.end());
    nodes.push_back(node);
    tasks.push_back({.parents = std::move(behind)});
    return static_cast<unsigned>(tasks.size() - 1);
  }

  CUgraphNode_st** bad_;
};

}  // namespace

GraphPlan plan_graph(const CUgraph_st& graph, Context& home, CUgraphNode_st** bad) {
  constexpr unsigned most_queues = 8;  // of a device
  GraphPlan plan;
  Flattening flat(bad);
  flat.add(graph, {});
  plan.nodes = std::move(flat.nodes);
  std::vector<Context*> contexts{&home};  // by place
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    Context* const wanted = plan.nodes[i] ? context_of(plan.nodes[i]->command) : nullptr;
    auto found = std::find(contexts.begin(), contexts.end(), wanted ? wanted : &home);
    if (found == contexts.end()) found = contexts.insert(found, wanted);
    flat.tasks[i].place = static_cast<std::uint32_t>(found - contexts.begin());
  }
  plan.spread = graph::spread(flat.tasks, most_queues);
  for (const std::uint32_t place : plan.spread.places) plan.queues.push_back(contexts[place]);
  return plan;
}

}  // namespace heddle::cuda_api
