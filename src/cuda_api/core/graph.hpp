// Graphs: nodes, each a command, and edges between them. As in CUDA, one thread at a time uses a graph.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuda_api/core/graph_command.hpp"

// What a cudaUserObject_t points to; kept like streams.
struct CUuserObject_st {
  std::atomic<bool> alive{false};
  std::atomic<std::uint64_t> count{0};
  void* data = nullptr;
  cudaHostFn_t destroy = nullptr;
};

namespace heddle::cuda_api {

struct GraphEdge {
  CUgraphNode_st* node = nullptr;
  cudaGraphEdgeData data = {};
  bool is_plain() const { return data.from_port == 0 && data.to_port == 0 && data.type == 0; }
};

// The user objects that something holds: the references are released with it.
class UserReferences {
 public:
  UserReferences() = default;
  UserReferences(const UserReferences& other);
  UserReferences& operator=(const UserReferences&) = delete;
  ~UserReferences() { clear(); }
  // `take`: references that the caller has; otherwise new ones.
  void add(CUuserObject_st& object, unsigned count, bool take);
  void remove(CUuserObject_st& object, unsigned count);  // throws when it has less
  void clear();
  // Also holds those of another.
  void add_all(const UserReferences& other);

 private:
  struct Entry {
    CUuserObject_st* object;
    unsigned count;
  };
  std::vector<Entry> entries_;
};

void retain(CUuserObject_st& object, std::uint64_t count);
// Calls its destructor with the last reference. Throws cudaErrorInvalidValue when there are fewer.
void release(CUuserObject_st& object, std::uint64_t count);

}  // namespace heddle::cuda_api

// What a cudaGraphNode_t points to; kept like streams.
struct CUgraphNode_st {
  std::atomic<bool> alive{false};
  std::uint64_t id = 0, origin = 0;  // origin: of the node that it is a copy of
  CUgraph_st* graph = nullptr;
  heddle::cuda_api::Command command = heddle::cuda_api::EmptyCommand{};
  bool enabled = true;  // in an executable graph
  std::vector<heddle::cuda_api::GraphEdge> in, out;
  // What cudaGraphKernelNodeGetParams has returned.
  std::vector<void*> pointers;
  std::array<void*, 5> extra = {};
  std::size_t bytes = 0;
};

// What a cudaGraph_t points to; kept like streams.
struct CUgraph_st {
  std::atomic<bool> alive{false};
  std::uint64_t id = 0, origin = 0;
  bool owned = false;                  // by a node or an executable graph: not the program's to destroy
  std::vector<CUgraphNode_st*> nodes;  // as they were made
  std::unique_ptr<heddle::cuda_api::UserReferences> objects = std::make_unique<heddle::cuda_api::UserReferences>();
  std::vector<std::shared_ptr<heddle::cuda_api::GraphCondition>> conditions;  // that were made for it
  // For a graph with nodes that allocate or free: an executable graph of it exists.
  std::shared_ptr<std::atomic<bool>> instantiated;
};

namespace heddle::cuda_api {

CUgraph_st& make_graph();
// With its nodes and their child graphs.
void destroy_graph(CUgraph_st& graph);
// Graphs within a node: a child graph, or those of a condition.
std::vector<CUgraph_st*> graphs_within(const Command& command);
// The graph or node of a handle. Throw cudaErrorInvalidValue.
CUgraph_st& graph_of(cudaGraph_t handle);
CUgraphNode_st& node_of(cudaGraphNode_t handle);
CUuserObject_st& user_object_of(cudaUserObject_t handle);
CUuserObject_st& make_user_object(void* data, cudaHostFn_t destroy, unsigned count);

// Adds a node after `dependencies`, each once. `data` null: plain edges. Throws cudaErrorInvalidValue.
CUgraphNode_st& add_node(CUgraph_st& graph, std::span<const cudaGraphNode_t> dependencies,
                         const cudaGraphEdgeData* data, Command command);
void connect(CUgraphNode_st& from, CUgraphNode_st& to, const cudaGraphEdgeData& data);
void disconnect(CUgraphNode_st& from, CUgraphNode_st& to);
void remove_node(CUgraphNode_st& node);
// Takes the user objects out of a graph and its child graphs, for an owner that must hold them longer.
void take_objects(CUgraph_st& graph, std::vector<std::unique_ptr<UserReferences>>& into);
// Nodes and edges of such a graph cannot be removed, and it cannot be copied.
bool has_memory_nodes(const CUgraph_st& graph);

// A node that frees memory of a graph. Throws cudaErrorInvalidValue when another node does.
FreeCommand free_command(std::shared_ptr<GraphMemory> memory);

// A copy, with its child graphs. `with_memory`: nodes that allocate and free are copied too, and stand for the same
// memory.
CUgraph_st& clone_graph(const CUgraph_st& graph, bool with_memory = false);
// The copy of a node that was made with the graph; null if there is no copy.
CUgraphNode_st* find_in_clone(const CUgraphNode_st& node, const CUgraph_st& clone);

// Nodes in an order in which each follows those that it depends on, those made first in front. Null: there is a cycle;
// `in_cycle` is then a node of it.
std::optional<std::vector<CUgraphNode_st*>> topological_order(const CUgraph_st& graph,
                                                              CUgraphNode_st** in_cycle = nullptr);
// Whether a path along edges leads from `from` to `to`.
bool reaches(const CUgraphNode_st& from, const CUgraphNode_st& to);

}  // namespace heddle::cuda_api
