// Memory that a graph allocates. Its address is the same for all launches, so it exists from when the node is made, as
// long as the node, an executable graph, or a program that has not freed it, holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/thread_safety.hpp"
#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
 public:
  // `graph`: the number of the graph with the node.
  static std::shared_ptr<GraphMemory> make(Context& context, std::size_t size, std::uint64_t graph);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  Context& context() const { return context_; }
  std::uint64_t address() const { return memory_.address(); }
  std::size_t size() const { return size_; }
  std::uint64_t graph() const { return graph_; }
  // The graph with a node that frees it; 0 if there is no such graph.
  std::uint64_t freed_by = 0;

  // A launch has allocated it and nothing has freed it yet.
  bool is_live() const;
  void set_live(bool live);
  // cudaFreeAsync: the next launch that allocates it runs after `end`.
  void free_behind(heddle::Event end);
  // Makes the queue wait for the frees of cudaFreeAsync.
  void wait_for_free(heddle::Queue& queue);

 private:
  GraphMemory(Context& context, std::size_t size, std::uint64_t graph);

  Context& context_;
  std::size_t size_;
  std::uint64_t graph_;
  heddle::Memory memory_;
  mutable heddle::base::Mutex mutex_;
  std::shared_ptr<GraphMemory> self_ HEDDLE_GUARDED_BY(mutex_);  // while it is live
  std::optional<heddle::Event> freed_ HEDDLE_GUARDED_BY(mutex_);
};

// For cudaDeviceGetGraphMemAttribute: bytes that launches have allocated and that are not freed, and those that are
// held.
struct GraphMemoryUse {
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};
GraphMemoryUse graph_memory_use(const Context& context);
void reset_graph_memory_high(const Context& context, bool used);

}  // namespace heddle::cuda_api
