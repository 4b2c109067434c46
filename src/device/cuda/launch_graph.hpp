// Launch graphs as CUDA graphs, put into queues of GPUs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/cuda/driver_graph.hpp"
#include "device/launch_graph.hpp"

namespace heddle::device::cuda {

class CudaGraph final : public LaunchGraph {
 public:
  CudaGraph(std::shared_ptr<DeviceState> state, std::span<const GraphLaunch> launches)
      : graph_(std::move(state), launches) {}

  void set_arguments(unsigned place, std::span<const std::byte> arguments) override {
    graph_.set_arguments(place, arguments);
  }
  std::vector<Tail> launch(Queue& queue) override;

 private:
  DriverGraph graph_;
};

}  // namespace heddle::device::cuda
