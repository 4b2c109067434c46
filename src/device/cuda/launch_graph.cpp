#include "device/cuda/launch_graph.hpp"

#include "base/fail.hpp"
#include "device/cuda/queue.hpp"

namespace heddle::device::cuda {

std::vector<LaunchGraph::Tail> CudaGraph::launch(Queue& queue) {
  auto* own = dynamic_cast<CudaQueue*>(&queue);
  if (!own)
    base::fail(ErrorCode::invalid_argument, "{}: the queue belongs to another device", graph_.state()->info().id);
  graph_.count_launch();
  own->launch_graph(graph_);
  return {};
}

}  // namespace heddle::device::cuda
