// Launch graphs as CUDA graphs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/state.hpp"
#include "device/launch_graph.hpp"

namespace heddle::device::cuda {

class CudaFunction;

class CudaGraph final : public LaunchGraph {
 public:
  CudaGraph(std::shared_ptr<DeviceState> state, std::span<const GraphLaunch> launches);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void set_arguments(unsigned place, std::span<const std::byte> arguments) override;
  std::vector<Tail> launch(Queue& queue) override;

  driver::GraphExec handle() const { return executable_; }
  const std::vector<std::string>& kernels() const { return kernels_; }  // without repetition
  const DeviceState* state() const { return state_.get(); }

 private:
  struct Node {
    driver::GraphNode handle = nullptr;
    CudaFunction* function = nullptr;
    LaunchConfig config;
  };
  void add(const GraphLaunch& launch);

  std::shared_ptr<DeviceState> state_;
  std::vector<Node> nodes_;
  std::vector<std::string> kernels_;
  driver::Graph graph_ = nullptr;
  driver::GraphExec executable_ = nullptr;
};

}  // namespace heddle::device::cuda
