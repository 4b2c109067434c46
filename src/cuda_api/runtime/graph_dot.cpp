// Pictures of graphs, in the language of Graphviz.
#include <fmt/format.h>

#include <unordered_map>

#include "base/file.hpp"
#include "cuda_api/runtime/graph_call.hpp"

using namespace heddle::cuda_api;

namespace {

const char* word_of(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel: return "kernel";
    case cudaGraphNodeTypeMemcpy: return "copy";
    case cudaGraphNodeTypeMemset: return "fill";
    case cudaGraphNodeTypeHost: return "host";
    case cudaGraphNodeTypeGraph: return "graph";
    case cudaGraphNodeTypeEmpty: return "empty";
    case cudaGraphNodeTypeWaitEvent: return "wait for event";
    case cudaGraphNodeTypeEventRecord: return "record event";
    case cudaGraphNodeTypeMemAlloc: return "allocate";
    case cudaGraphNodeTypeMemFree: return "free";
    case cudaGraphNodeTypeConditional: return "condition";
    default: return "node";
  }
}

const char* direction_of(const CopyCommand& copy) {
  constexpr const char* words[] = {"host to host", "host to device", "device to host", "device to device"};
  return words[(copy.to.on_device ? 1 : 0) + (copy.from.on_device ? 2 : 0)];
}

class Dot {
 public:
  Dot(unsigned flags) : flags_(flags) {}

  void add(const CUgraph_st& graph, unsigned number) {
    text_ += fmt::format("subgraph cluster_{} {{\nlabel=\"graph_{}\";\n", number, number);
    for (const CUgraphNode_st* node : graph.nodes) {
      const std::size_t place = names_.size();
      names_[node] = place;
      text_ += fmt::format("n{} [shape=record, label=\"{{{}}}\"];\n", place, label_of(*node, place));
    }
    for (const CUgraphNode_st* node : graph.nodes)
      for (const GraphEdge& edge : node->out)
        text_ +=
            fmt::format("n{} -> n{}{};\n", names_[node], names_[edge.node], edge.is_plain() ? "" : " [style=dashed]");
    text_ += "}\n";
    for (const CUgraphNode_st* node : graph.nodes)
      for (const CUgraph_st* within : graphs_within(node->command)) add(*within, ++graphs_);
  }
  std::string text() const { return "digraph dot {\n" + text_ + "}\n"; }

 private:
  bool wants(unsigned what) const { return (flags_ & (what | cudaGraphDebugDotFlagsVerbose)) != 0; }

  std::string label_of(const CUgraphNode_st& node, std::size_t place) const {
    std::string label = fmt::format("{} {}", place, word_of(type_of(node.command)));
    if (wants(cudaGraphDebugDotFlagsHandles)) label += fmt::format("|{}", static_cast<const void*>(&node));
    if (const auto* kernel = std::get_if<KernelCommand>(&node.command)) {
      label += "|" + kernel->kernel->name();
      if (wants(cudaGraphDebugDotFlagsKernelNodeParams))
        label += fmt::format("|grid {} {} {}|block {} {} {}|shared {}", kernel->grid.x, kernel->grid.y, kernel->grid.z,
                             kernel->block.x, kernel->block.y, kernel->block.z, kernel->shared);
      if (wants(cudaGraphDebugDotFlagsKernelNodeAttributes))
        label += fmt::format("|cooperative {}|priority {}", kernel->cooperative, kernel->priority);
    } else if (const auto* copy = std::get_if<CopyCommand>(&node.command)) {
      label += fmt::format("|{}", direction_of(*copy));
      const cudaExtent& size = copy->parameters.extent;
      if (wants(cudaGraphDebugDotFlagsMemcpyNodeParams))
        label += fmt::format("|{} x {} x {}|{:#x} to {:#x}", size.width, size.height, size.depth,
                             copy->from.span.address, copy->to.span.address);
    } else if (const auto* fill = std::get_if<FillCommand>(&node.command)) {
      if (wants(cudaGraphDebugDotFlagsMemsetNodeParams))
        label += fmt::format("|{} x {} of {} bytes|{:#x}|at {}", fill->parameters.width, fill->parameters.height,
                             fill->parameters.elementSize, fill->parameters.value, fill->parameters.dst);
    } else if (const auto* host = std::get_if<HostCommand>(&node.command)) {
      if (wants(cudaGraphDebugDotFlagsHostNodeParams))
        label += fmt::format("|{}|{}", reinterpret_cast<void*>(host->parameters.fn), host->parameters.userData);
    }
    return label;
  }

  unsigned flags_, graphs_ = 0;
  std::string text_;
  std::unordered_map<const CUgraphNode_st*, std::size_t> names_;
};

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags) {
  return guarded(__func__, [&] {
    const CUgraph_st& shown = graph_of(graph);
    require(path, cudaErrorInvalidValue, "no path");
    Dot dot(flags);
    dot.add(shown, 0);
    try {
      heddle::base::require_folder_of(path);
      heddle::base::write_users_file(path, dot.text());
    } catch (const heddle::Error& error) {
      throw Failure(cudaErrorOperatingSystem, error.what());
    }
  });
}
