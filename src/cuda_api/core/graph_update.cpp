// Other parameters for an executable graph: of one node, or of all from a graph of the same shape.
#include <deque>
#include <unordered_map>
#include <utility>

#include "cuda_api/core/graph_exec.hpp"

namespace heddle::cuda_api {
namespace {

using Result = cudaGraphExecUpdateResult;
struct Pair {
  CUgraphNode_st *mine, *other;
};

bool same_side(const End& a, const End& b) {
  return a.on_device == b.on_device && a.known == b.known && a.span.device == b.span.device;
}

// Whether a command may take the place of another. What has to do with a device stays there.
Result compare(const Command& mine, const Command& other) {
  if (type_of(mine) != type_of(other)) return cudaGraphExecUpdateErrorNodeTypeChanged;
  if (const auto* kernel = std::get_if<KernelCommand>(&mine)) {
    const auto& next = std::get<KernelCommand>(other);
    if (kernel->context != next.context) return cudaGraphExecUpdateErrorUnsupportedFunctionChange;
    if (kernel->cooperative != next.cooperative) return cudaGraphExecUpdateErrorAttributesChanged;
  } else if (const auto* copy = std::get_if<CopyCommand>(&mine)) {
    const auto& next = std::get<CopyCommand>(other);
    if (copy->context != next.context) return cudaGraphExecUpdateErrorParametersChanged;
    if (!copy->is_empty() && !next.is_empty() && (!same_side(copy->to, next.to) || !same_side(copy->from, next.from)))
      return cudaGraphExecUpdateErrorParametersChanged;
  } else if (const auto* fill = std::get_if<FillCommand>(&mine)) {
    const auto& next = std::get<FillCommand>(other);
    const bool moved =
        fill->context != next.context || (!fill->is_empty() && !next.is_empty() && !same_side(fill->to, next.to));
    const cudaMemsetParams &p = fill->parameters, &q = next.parameters;
    const bool reshaped = p.pitch != q.pitch || p.elementSize != q.elementSize || p.width != q.width ||
                          p.height != q.height || fill->depth != next.depth;
    if (moved || fill->is_flat() != next.is_flat() || (!fill->is_flat() && reshaped))
      return cudaGraphExecUpdateErrorParametersChanged;
  } else if (context_of(mine) != context_of(other)) {
    return cudaGraphExecUpdateErrorParametersChanged;
  } else if (std::holds_alternative<AllocateCommand>(mine) || std::holds_alternative<FreeCommand>(mine) ||
             std::holds_alternative<ConditionalCommand>(mine)) {
    return cudaGraphExecUpdateErrorNotSupported;
  }
  return cudaGraphExecUpdateSuccess;
}

// Pairs the nodes of two graphs: from their last nodes, in the order they were made, back along the edges in their
// order.
class Pairing {
 public:
  cudaGraphExecUpdateResultInfo run(CUgraph_st& mine, const CUgraph_st& other) {
    graphs_.push_back({&mine, &other});
    if (mine.nodes.size() != other.nodes.size()) return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
    const auto last = [](const CUgraph_st& graph) {
      std::vector<CUgraphNode_st*> nodes;
      for (CUgraphNode_st* node : graph.nodes)
        if (node->out.empty()) nodes.push_back(node);
      return nodes;
    };
    const std::vector<CUgraphNode_st*> a = last(mine), b = last(other);
    if (a.size() != b.size())
      return {cudaGraphExecUpdateErrorTopologyChanged, b.size() > a.size() ? b.back() : nullptr, nullptr};
    std::deque<Pair> rest;
    for (std::size_t i = 0; i < a.size(); ++i) meet(rest, {a[i], b[i]});
    while (!rest.empty()) {
      const Pair pair = rest.front();
      rest.pop_front();
      const cudaGraphExecUpdateResultInfo result = visit(rest, pair);
      if (result.result != cudaGraphExecUpdateSuccess) return result;
    }
    return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  }
  // After that: gives the commands over, and the user objects in place of the old ones, which it returns.
  std::vector<std::unique_ptr<UserReferences>> apply() const {
    for (const auto& [mine, other] : pairs_)
      if (!std::holds_alternative<ChildCommand>(mine->command)) mine->command = other->command;
    std::vector<std::unique_ptr<UserReferences>> old;
    old.reserve(graphs_.size());
    for (const auto& [mine, other] : graphs_)
      old.push_back(std::exchange(mine->objects, std::make_unique<UserReferences>(*other->objects)));
    return old;
  }

 private:
  void meet(std::deque<Pair>& rest, const Pair& pair) {
    mine_to_other_[pair.mine] = pair.other;
    other_to_mine_[pair.other] = pair.mine;
    pairs_.push_back(pair);
    rest.push_back(pair);
  }

  cudaGraphExecUpdateResultInfo visit(std::deque<Pair>& rest, const Pair& pair) {
    const auto& [mine, other] = pair;
    if (const Result result = compare(mine->command, other->command); result != cudaGraphExecUpdateSuccess)
      return {result, other, nullptr};
    if (mine->in.size() != other->in.size()) return {cudaGraphExecUpdateErrorTopologyChanged, other, nullptr};
    for (std::size_t i = 0; i < mine->in.size(); ++i) {
      CUgraphNode_st *const a = mine->in[i].node, *const b = other->in[i].node;
      const auto met_a = mine_to_other_.find(a);
      const auto met_b = other_to_mine_.find(b);
      const bool new_a = met_a == mine_to_other_.end(), new_b = met_b == other_to_mine_.end();
      if (new_a != new_b || (!new_a && met_a->second != b)) return {cudaGraphExecUpdateErrorTopologyChanged, other, b};
      if (new_a) meet(rest, {a, b});
    }
    if (const auto* child = std::get_if<ChildCommand>(&mine->command))
      return run(*child->graph, *std::get<ChildCommand>(other->command).graph);
    return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  }

  std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> mine_to_other_, other_to_mine_;
  std::vector<Pair> pairs_;
  std::vector<std::pair<CUgraph_st*, const CUgraph_st*>> graphs_;
};

// What launches under way still need is kept until they have run.
cudaGraphExecUpdateResultInfo update(CUgraphExec_st& exec, CUgraph_st& mine, const CUgraph_st& other) {
  Pairing pairing;
  const cudaGraphExecUpdateResultInfo result = pairing.run(mine, other);
  if (result.result != cudaGraphExecUpdateSuccess) return result;
  auto old = std::make_shared<std::vector<std::unique_ptr<UserReferences>>>(pairing.apply());
  if (exec.last_stream != 0 && !exec.end->done()) exec.home->graph_lanes.keep_until(*exec.end, std::move(old));
  return result;
}

}  // namespace

void change_node(CUgraphNode_st& node, Command command) {
  if (compare(node.command, command) != cudaGraphExecUpdateSuccess)
    throw Failure(cudaErrorInvalidValue, "a node of an executable graph cannot be changed so");
  node.command = std::move(command);
}

cudaGraphExecUpdateResultInfo update_exec(CUgraphExec_st& exec, CUgraph_st& graph) {
  const base::Lock lock(exec.mutex);
  return update(exec, *exec.graph, graph);
}

cudaGraphExecUpdateResultInfo update_child(CUgraphExec_st& exec, CUgraphNode_st& node, CUgraph_st& graph) {
  const base::Lock lock(exec.mutex);
  const auto* child = std::get_if<ChildCommand>(&node.command);
  if (!child) throw Failure(cudaErrorInvalidValue, "the node is no child graph");
  return update(exec, *child->graph, graph);
}

}  // namespace heddle::cuda_api
