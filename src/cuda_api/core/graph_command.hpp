// A command of a stream as a description: it is put into a queue at once, or kept as a node of a graph.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "cuda_api/core/context.hpp"
#include "cuda_api/core/copy_end.hpp"
#include "cuda_api/core/entry.hpp"

namespace heddle::cuda_api {

class GraphBodies;
class GraphCondition;
class GraphMemory;

// A launch. Immediate launches do not use it: they are put into the queue without copying the arguments twice.
struct KernelCommand {
  Context* context = nullptr;
  KernelEntry* kernel = nullptr;
  void* function = nullptr;  // as the program names it
  dim3 grid, block;
  unsigned shared = 0;
  bool cooperative = false;
  int priority = 0;        // as CUDA counts
  bool as_buffer = false;  // the arguments were given packed
  std::vector<std::byte> arguments;
  std::map<int, std::array<std::byte, 64>> hints;  // attributes without effect here, by number
  void put(heddle::Queue& queue) const;
  // Makes code for it. Throws what the first launch would throw.
  void prepare() const;
};

struct CopyCommand {
  Context* context = nullptr;
  cudaMemcpy3DParms parameters = {};
  End to, from;  // of everything from the first byte to the last
  bool is_flat() const { return parameters.extent.height == 1 && parameters.extent.depth == 1; }
  bool is_empty() const;
  void put(heddle::Queue& queue) const;
};

struct FillCommand {
  Context* context = nullptr;
  cudaMemsetParams parameters = {};
  std::size_t depth = 1, plane = 0;  // of cudaMemset3D
  End to;
  bool is_flat() const { return parameters.height == 1 && depth == 1; }
  bool is_empty() const { return parameters.width == 0 || parameters.height == 0 || depth == 0; }
  void put(heddle::Queue& queue) const;
};

struct HostCommand {
  cudaHostNodeParams parameters = {};
  void put(heddle::Queue& queue) const;
};

// An event of the program's, outside of the graph.
struct RecordCommand {
  CUevent_st* event = nullptr;
  void put(heddle::Queue& queue) const;
};
struct WaitCommand {
  CUevent_st* event = nullptr;
  void put(heddle::Queue& queue) const;
};

// The effect of a graph launch on memory takes place when the launch is made; the queue has nothing to do.
struct AllocateCommand {
  std::shared_ptr<GraphMemory> memory;
  cudaMemAllocNodeParams parameters = {};
  std::vector<cudaMemAccessDesc> access;
};
struct FreeCommand {
  std::shared_ptr<GraphMemory> memory;
};

struct EmptyCommand {};
struct ChildCommand {
  CUgraph_st* graph = nullptr;  // the node's own
};

// Graphs that run by a condition: while it is not 0, the first or the second, or the one of its number.
struct ConditionalCommand {
  std::shared_ptr<GraphCondition> condition;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<CUgraph_st*> bodies;    // the node's own
  std::shared_ptr<GraphBodies> made;  // of these, in an executable graph
  void put(heddle::Queue& queue) const;
};

using Command = std::variant<KernelCommand, CopyCommand, FillCommand, HostCommand, ChildCommand, EmptyCommand,
                             WaitCommand, RecordCommand, AllocateCommand, FreeCommand, ConditionalCommand>;

cudaGraphNodeType type_of(const Command& command);
// The device on which it must run; null if any device can run it.
Context* context_of(const Command& command);
// Child graphs are not put into queues.
void put(const Command& command, heddle::Queue& queue);

// Resolve addresses. Throw Failure as the immediate calls do.
CopyCommand copy_command(Context& context, const cudaMemcpy3DParms& parameters);
CopyCommand copy_command(Context& context, void* to, const void* from, std::size_t size, cudaMemcpyKind kind);
FillCommand fill_command(Context& context, const cudaMemsetParams& parameters, std::size_t depth = 1,
                         std::size_t plane = 0);

}  // namespace heddle::cuda_api
