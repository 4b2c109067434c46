// Launch graphs as CUDA graphs.
//
// Small launches that come one behind the other, with nothing beside them, are linked: each is made ready, and begins,
// while the one before it ends (programmatic dependent launch). For that their kernels are compiled once more, in the
// background, once a graph has been launched a few times; until then, and where that cannot be, they come one after
// the other as any graph's launches do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/state.hpp"
#include "device/launch_graph.hpp"

namespace heddle::device::cuda {

class CudaFunction;
class DriverFunction;

class CudaGraph final : public LaunchGraph {
 public:
  CudaGraph(std::shared_ptr<DeviceState> state, std::span<const GraphLaunch> launches);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void set_arguments(unsigned place, std::span<const std::byte> arguments) override;
  std::vector<Tail> launch(Queue& queue) override;

  driver::GraphExec handle() const { return made_.executable; }
  const std::vector<std::string>& kernels() const { return kernels_; }  // without repetition
  const DeviceState* state() const { return state_.get(); }

 private:
  struct Made {
    driver::Graph graph = nullptr;
    driver::GraphExec executable = nullptr;
    std::vector<driver::GraphNode> nodes;
  };
  void check(const GraphLaunch& launch);
  Made make() const;
  void add(Made& made, unsigned place) const;
  void destroy(const Made& made) const;
  // What runs the launch.
  DriverFunction& function_of(unsigned place) const;
  // Compiles what linking needs, and links once that is done.
  void try_to_link();
  bool is_linked(unsigned place) const { return place < linked_.size() && linked_[place]; }

  std::shared_ptr<DeviceState> state_;
  std::vector<GraphLaunch> launches_;  // as they are now
  std::vector<std::string> kernels_;
  Made made_, unlinked_;
  // By place: may begin while the one before, which is its only parent, ends.
  std::vector<bool> can_link_, linked_;
  unsigned launched_ = 0;  // as long as it may be linked and is not
};

}  // namespace heddle::device::cuda
