#include "cuda_api/core/graph.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cuda_api/core/graph_memory.hpp"
#include "cuda_api/core/host_function.hpp"

namespace heddle::cuda_api {
namespace {

// Never taken down, see Process.
struct GraphSlots {
  Slots<CUgraph_st> graphs;
  Slots<CUgraphNode_st> nodes;
  Slots<CUuserObject_st> objects;
  std::atomic<std::uint64_t> next_id{1};
};
GraphSlots& slots() {
  static GraphSlots* const made = new GraphSlots;
  return *made;
}

template <class T>
T& checked(const Slots<T>& all, T* handle, const char* what) {
  if (!all.is_alive(handle)) throw Failure(cudaErrorInvalidValue, what);
  return *handle;
}

void check_edge_data(const CUgraphNode_st& from, const CUgraphNode_st& to, const cudaGraphEdgeData& data) {
  if (data.type == cudaGraphDependencyTypeDefault && data.from_port == 0 && data.to_port == 0) return;
  const bool kernels =
      type_of(from.command) == cudaGraphNodeTypeKernel && type_of(to.command) == cudaGraphNodeTypeKernel;
  if (data.type > cudaGraphDependencyTypeProgrammatic || data.to_port != 0 ||
      data.from_port > cudaGraphKernelNodePortLaunchCompletion ||
      (data.type == cudaGraphDependencyTypeProgrammatic && !kernels) ||
      type_of(from.command) != cudaGraphNodeTypeKernel)
    throw Failure(cudaErrorInvalidValue, "the data of an edge does not fit the nodes at its ends");
}

CUgraphNode_st& make_node(CUgraph_st& graph, Command command) {
  CUgraphNode_st& node = slots().nodes.take();
  node.id = slots().next_id.fetch_add(1, std::memory_order_relaxed);
  node.origin = 0;
  node.graph = &graph;
  node.command = std::move(command);
  node.enabled = true;
  node.alive.store(true, std::memory_order_release);
  graph.nodes.push_back(&node);
  return node;
}

void end_node(CUgraphNode_st& node) {
  node.alive.store(false, std::memory_order_release);
  for (CUgraph_st* within : graphs_within(node.command)) destroy_graph(*within);
  if (auto* freed = std::get_if<FreeCommand>(&node.command); freed && freed->memory->freed_by == node.graph->id)
    freed->memory->freed_by = 0;
  node.command = EmptyCommand{};
  node.in.clear();
  node.out.clear();
  node.pointers.clear();
  slots().nodes.give(node);
}

bool is_memory(const CUgraphNode_st& node) {
  const cudaGraphNodeType type = type_of(node.command);
  for (const CUgraph_st* within : graphs_within(node.command))
    if (has_memory_nodes(*within)) return true;
  return type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
}

}  // namespace

std::vector<CUgraph_st*> graphs_within(const Command& command) {
  if (const auto* child = std::get_if<ChildCommand>(&command); child && child->graph) return {child->graph};
  if (const auto* conditional = std::get_if<ConditionalCommand>(&command)) return conditional->bodies;
  return {};
}

void retain(CUuserObject_st& object, std::uint64_t count) { object.count.fetch_add(count, std::memory_order_relaxed); }

void release(CUuserObject_st& object, std::uint64_t count) {
  std::uint64_t now = object.count.load(std::memory_order_relaxed);
  do {
    if (now < count)
      throw Failure(cudaErrorInvalidValue, "more references to a user object are given back than there are");
  } while (!object.count.compare_exchange_weak(now, now - count, std::memory_order_acq_rel));
  if (now != count) return;
  object.alive.store(false, std::memory_order_release);
  run_host_function(object.destroy, object.data);
  slots().objects.give(object);
}

UserReferences::UserReferences(const UserReferences& other) { add_all(other); }

void UserReferences::add_all(const UserReferences& other) {
  for (const Entry& entry : other.entries_) add(*entry.object, entry.count, false);
}

void UserReferences::add(CUuserObject_st& object, unsigned count, bool take) {
  if (!take) retain(object, count);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.object == &object; });
  if (found != entries_.end())
    found->count += count;
  else
    entries_.push_back({&object, count});
}

void UserReferences::remove(CUuserObject_st& object, unsigned count) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.object == &object; });
  if (found == entries_.end() || found->count < count)
    throw Failure(cudaErrorInvalidValue, "the graph does not hold so many references to the user object");
  found->count -= count;
  if (found->count == 0) entries_.erase(found);
  release(object, count);
}

void UserReferences::clear() {
  for (const Entry& entry : std::exchange(entries_, {})) {
    try {
      release(*entry.object, entry.count);
    } catch (const Failure&) {  // the program has given back what was the graph's
    }
  }
}

CUgraph_st& make_graph() {
  CUgraph_st& graph = slots().graphs.take();
  graph.id = slots().next_id.fetch_add(1, std::memory_order_relaxed);
  graph.origin = 0;
  graph.owned = false;
  graph.instantiated = std::make_shared<std::atomic<bool>>(false);
  graph.alive.store(true, std::memory_order_release);
  return graph;
}

void destroy_graph(CUgraph_st& graph) {
  graph.alive.store(false, std::memory_order_release);
  for (CUgraphNode_st* node : std::exchange(graph.nodes, {})) end_node(*node);
  graph.objects->clear();
  graph.conditions.clear();
  slots().graphs.give(graph);
}

CUgraph_st& graph_of(cudaGraph_t handle) {
  return checked(slots().graphs, handle, "the graph was not made, or was destroyed");
}
CUgraphNode_st& node_of(cudaGraphNode_t handle) {
  return checked(slots().nodes, handle, "the node was not made, or was destroyed");
}
CUuserObject_st& user_object_of(cudaUserObject_t handle) {
  return checked(slots().objects, handle, "the user object was not made, or was destroyed");
}

CUuserObject_st& make_user_object(void* data, cudaHostFn_t destroy, unsigned count) {
  CUuserObject_st& object = slots().objects.take();
  object.data = data;
  object.destroy = destroy;
  object.count.store(count, std::memory_order_relaxed);
  object.alive.store(true, std::memory_order_release);
  return object;
}

CUgraphNode_st& add_node(CUgraph_st& graph, std::span<const cudaGraphNode_t> dependencies,
                         const cudaGraphEdgeData* data, Command command) {
  std::unordered_set<const CUgraphNode_st*> seen;
  for (cudaGraphNode_t dependency : dependencies) {
    if (node_of(dependency).graph != &graph)
      throw Failure(cudaErrorInvalidValue, "a dependency of a node is in another graph");
    if (!seen.insert(dependency).second) throw Failure(cudaErrorInvalidValue, "a dependency of a node is given twice");
  }
  CUgraphNode_st& node = make_node(graph, std::move(command));
  try {
    for (std::size_t i = 0; i < dependencies.size(); ++i) {
      const cudaGraphEdgeData edge = data ? data[i] : cudaGraphEdgeData{};
      check_edge_data(*dependencies[i], node, edge);
      node.in.push_back({dependencies[i], edge});
      dependencies[i]->out.push_back({&node, edge});
    }
  } catch (...) {
    remove_node(node);
    throw;
  }
  if (auto* freed = std::get_if<FreeCommand>(&node.command)) freed->memory->freed_by = graph.id;
  return node;
}

void connect(CUgraphNode_st& from, CUgraphNode_st& to, const cudaGraphEdgeData& data) {
  if (from.graph != to.graph || &from == &to)
    throw Failure(cudaErrorInvalidValue, "an edge joins two nodes of one graph");
  if (std::any_of(to.in.begin(), to.in.end(), [&](const GraphEdge& edge) { return edge.node == &from; }))
    throw Failure(cudaErrorInvalidValue, "the edge is there already");
  check_edge_data(from, to, data);
  to.in.push_back({&from, data});
  from.out.push_back({&to, data});
}

void disconnect(CUgraphNode_st& from, CUgraphNode_st& to) {
  if (std::erase_if(to.in, [&](const GraphEdge& edge) { return edge.node == &from; }) == 0)
    throw Failure(cudaErrorInvalidValue, "there is no such edge");
  std::erase_if(from.out, [&](const GraphEdge& edge) { return edge.node == &to; });
}

void remove_node(CUgraphNode_st& node) {
  for (const GraphEdge& edge : node.in)
    std::erase_if(edge.node->out, [&](const GraphEdge& other) { return other.node == &node; });
  for (const GraphEdge& edge : node.out)
    std::erase_if(edge.node->in, [&](const GraphEdge& other) { return other.node == &node; });
  std::erase(node.graph->nodes, &node);
  end_node(node);
}

void take_objects(CUgraph_st& graph, std::vector<std::unique_ptr<UserReferences>>& into) {
  into.push_back(std::exchange(graph.objects, std::make_unique<UserReferences>()));
  for (CUgraphNode_st* node : graph.nodes)
    for (CUgraph_st* within : graphs_within(node->command)) take_objects(*within, into);
}

FreeCommand free_command(std::shared_ptr<GraphMemory> memory) {
  if (memory->freed_by != 0) throw Failure(cudaErrorInvalidValue, "another node of a graph frees the memory already");
  return {std::move(memory)};
}

bool has_memory_nodes(const CUgraph_st& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const CUgraphNode_st* node) { return is_memory(*node); });
}

CUgraph_st& clone_graph(const CUgraph_st& graph, bool with_memory) {
  if (!with_memory && has_memory_nodes(graph))
    throw Failure(cudaErrorNotSupported, "a graph with nodes that allocate or free memory cannot be copied");
  CUgraph_st& clone = make_graph();
  clone.origin = graph.id;
  clone.objects->add_all(*graph.objects);
  clone.conditions = graph.conditions;
  std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const CUgraphNode_st* node : graph.nodes) {
    Command command = node->command;
    if (auto* child = std::get_if<ChildCommand>(&command)) {
      child->graph = &clone_graph(*child->graph, with_memory);
      child->graph->owned = true;
    }
    if (auto* conditional = std::get_if<ConditionalCommand>(&command)) {
      for (CUgraph_st*& body : conditional->bodies) {
        body = &clone_graph(*body, with_memory);
        body->owned = true;
      }
    }
    CUgraphNode_st& copy = make_node(clone, std::move(command));
    copy.origin = node->id;
    copy.enabled = node->enabled;
    copies[node] = &copy;
  }
  for (const CUgraphNode_st* node : graph.nodes) {
    for (const GraphEdge& edge : node->in) copies[node]->in.push_back({copies[edge.node], edge.data});
    for (const GraphEdge& edge : node->out) copies[node]->out.push_back({copies[edge.node], edge.data});
  }
  return clone;
}

CUgraphNode_st* find_in_clone(const CUgraphNode_st& node, const CUgraph_st& clone) {
  const auto found = std::find_if(clone.nodes.begin(), clone.nodes.end(),
                                  [&](const CUgraphNode_st* copy) { return copy->origin == node.id; });
  return found == clone.nodes.end() ? nullptr : *found;
}

std::optional<std::vector<CUgraphNode_st*>> topological_order(const CUgraph_st& graph, CUgraphNode_st** in_cycle) {
  std::unordered_map<const CUgraphNode_st*, std::size_t> waits, places;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    places[graph.nodes[i]] = i;
    waits[graph.nodes[i]] = graph.nodes[i]->in.size();
    if (graph.nodes[i]->in.empty()) ready.push(i);
  }
  std::vector<CUgraphNode_st*> order;
  order.reserve(graph.nodes.size());
  while (!ready.empty()) {
    CUgraphNode_st* const node = graph.nodes[ready.top()];
    ready.pop();
    order.push_back(node);
    for (const GraphEdge& edge : node->out)
      if (--waits[edge.node] == 0) ready.push(places[edge.node]);
  }
  if (order.size() == graph.nodes.size()) return order;
  if (in_cycle)
    *in_cycle = *std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](auto* node) { return waits[node] > 0; });
  return std::nullopt;
}

bool reaches(const CUgraphNode_st& from, const CUgraphNode_st& to) {
  std::unordered_set<const CUgraphNode_st*> seen = {&to};
  std::vector<const CUgraphNode_st*> rest = {&to};
  while (!rest.empty()) {
    const CUgraphNode_st* const node = rest.back();
    rest.pop_back();
    if (node == &from) return true;
    for (const GraphEdge& edge : node->in)
      if (seen.insert(edge.node).second) rest.push_back(edge.node);
  }
  return false;
}

}  // namespace heddle::cuda_api
