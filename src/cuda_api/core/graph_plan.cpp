#include "cuda_api/core/graph_plan.hpp"

#include <algorithm>
#include <unordered_map>

namespace heddle::cuda_api {
namespace {

// Child graphs are put where their nodes are: their first nodes come behind what the node depends on.
class Flattening {
 public:
  Flattening(std::vector<GraphStep>& steps, CUgraphNode_st** bad) : steps_(steps), bad_(bad) {}

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
    GraphStep step;
    step.node = node;
    step.dependencies = std::move(behind);
    steps_.push_back(std::move(step));
    return static_cast<unsigned>(steps_.size() - 1);
  }

  std::vector<GraphStep>& steps_;
  CUgraphNode_st** bad_;
};

// For each step, the last step of each lane that has run when it has: what need not be waited for again.
using Clock = std::vector<int>;  // by lane; shorter: none

int at(const Clock& clock, unsigned lane) { return lane < clock.size() ? clock[lane] : -1; }

void merge(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size(), -1);
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

void advance(Clock& clock, unsigned lane, unsigned step) {
  if (clock.size() <= lane) clock.resize(lane + 1, -1);
  clock[lane] = std::max(clock[lane], static_cast<int>(step));
}

class Spreading {
 public:
  Spreading(GraphPlan& plan, Context& home) : plan_(plan), home_(home), clocks_(plan.steps.size()) {
    plan_.lanes = {&home};
    tails_ = {-1};
    loads_ = {0};
  }

  void run() {
    for (unsigned i = 0; i < plan_.steps.size(); ++i) place(i);
    for (unsigned lane = 1; lane < tails_.size(); ++lane) plan_.tails.push_back(static_cast<unsigned>(tails_[lane]));
    Clock end = tails_[0] < 0 ? Clock() : clocks_[static_cast<std::size_t>(tails_[0])];
    for (unsigned lane = 1; lane < tails_.size(); ++lane) {
      const auto tail = static_cast<unsigned>(tails_[lane]);
      if (at(end, lane) >= tails_[lane]) continue;
      plan_.joins.push_back(tail);
      plan_.steps[tail].recorded = true;
    }
  }

 private:
  void place(unsigned index) {
    GraphStep& step = plan_.steps[index];
    Clock known;
    for (unsigned dependency : step.dependencies) merge(known, clocks_[dependency]);
    step.lane = choose(step, known);
    const bool first = tails_[step.lane] < 0;
    Clock clock = first ? Clock() : clocks_[static_cast<std::size_t>(tails_[step.lane])];
    // The last dependency first: what it has waited for need not be waited for.
    for (auto d = step.dependencies.rbegin(); d != step.dependencies.rend(); ++d) {
      const unsigned lane = plan_.steps[*d].lane;
      if (lane != step.lane && at(clock, lane) < static_cast<int>(*d)) {
        step.waits.push_back(*d);
        plan_.steps[*d].recorded = true;
      }
      merge(clock, clocks_[*d]);
    }
    step.forked = first && step.lane != 0 && step.waits.empty();
    advance(clock, step.lane, index);
    clocks_[index] = std::move(clock);
    tails_[step.lane] = static_cast<int>(index);
    ++loads_[step.lane];
  }

  // A lane whose last step is a dependency; or one whose steps have all run by then; or a new one; or the emptiest.
  unsigned choose(const GraphStep& step, const Clock& known) {
    Context* const wanted = step.node ? context_of(step.node->command) : nullptr;
    Context* const context = wanted ? wanted : &home_;
    std::optional<unsigned> done, emptiest;
    unsigned count = 0;
    for (unsigned lane = 0; lane < plan_.lanes.size(); ++lane) {
      if (plan_.lanes[lane] != context) continue;
      ++count;
      const int tail = tails_[lane];
      if (tail >= 0 &&
          std::binary_search(step.dependencies.begin(), step.dependencies.end(), static_cast<unsigned>(tail)))
        return lane;
      if (!done && tail <= at(known, lane)) done = lane;
      if (!emptiest || loads_[lane] < loads_[*emptiest]) emptiest = lane;
    }
    if (done) return *done;
    if (count >= GraphPlan::most_lanes) return *emptiest;
    plan_.lanes.push_back(context);
    tails_.push_back(-1);
    loads_.push_back(0);
    return static_cast<unsigned>(plan_.lanes.size() - 1);
  }

  GraphPlan& plan_;
  Context& home_;
  std::vector<Clock> clocks_;
  std::vector<int> tails_;
  std::vector<unsigned> loads_;
};

}  // namespace

GraphPlan plan_graph(const CUgraph_st& graph, Context& home, CUgraphNode_st** bad) {
  GraphPlan plan;
  Flattening(plan.steps, bad).add(graph, {});
  Spreading(plan, home).run();
  return plan;
}

}  // namespace heddle::cuda_api
