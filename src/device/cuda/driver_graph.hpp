// A graph of launches as the driver has it.
//
// Small launches in a sequence without parallel branches are linked: each is prepared, and begins, while the one before
// it ends (programmatic dependent launch). For that their kernels are compiled once more, in the background, once a
// graph has been launched a few times; until then, and where that is impossible, they run one after the other as any
// graph's launches do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/cuda/state.hpp"
#include "device/launch_graph.hpp"

namespace heddle::device::cuda {

class CudaFunction;
class DriverFunction;

// One thread at a time, but for start().
class DriverGraph {
 public:
  DriverGraph(std::shared_ptr<DeviceState> state, std::span<const GraphLaunch> launches);
  ~DriverGraph();
  DriverGraph(const DriverGraph&) = delete;
  DriverGraph& operator=(const DriverGraph&) = delete;

  void set_arguments(unsigned place, std::span<const std::byte> arguments);
  // Before each launch: once there have been a few, what linking needs is compiled, and links made when that is done.
  void count_launch();

  // The arguments of all launches at one time, for a launch of the graph that a queue holds back: they may change
  // before its turn comes.
  struct Kept {
    std::vector<std::vector<std::byte>> arguments;  // by place
    std::shared_ptr<void> token;
  };
  std::shared_ptr<const Kept> keep() const;
  // Whether launches with kept arguments are pending.
  bool has_kept() const { return token_.use_count() > 1; }
  // Puts the graph into the stream, with the kept arguments or, null, with the present ones. Needs the GPU's context.
  // Any thread.
  driver::Result start(driver::Stream stream, const Kept* kept);
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
  // Sets a launch's arguments in the driver's graph. Needs the lock and the GPU's context.
  void update(unsigned place, std::span<const std::byte> arguments) HEDDLE_REQUIRES(mutex_);
  void destroy(const Made& made) const;
  // The code of the launch.
  DriverFunction& function_of(unsigned place) const;
  void try_to_link() HEDDLE_REQUIRES(mutex_);
  bool is_linked(unsigned place) const { return place < linked_.size() && linked_[place]; }

  std::shared_ptr<DeviceState> state_;
  std::vector<GraphLaunch> launches_;  // as they are from the next launch of the graph on
  std::vector<std::string> kernels_;
  std::shared_ptr<void> token_ = std::make_shared<int>();
  base::Mutex mutex_;  // over what the driver has: other threads put in launches that were held back
  Made made_ HEDDLE_GUARDED_BY(mutex_), unlinked_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<std::vector<std::byte>> given_ HEDDLE_GUARDED_BY(mutex_);  // by place: the arguments in made_
  bool outdated_ HEDDLE_GUARDED_BY(mutex_) = false;                      // they may differ from those of launches_
  // By place: may begin while the one before, which is its only parent, ends.
  std::vector<bool> can_link_, linked_;
  unsigned launched_ = 0;  // as long as it may be linked and is not
};

}  // namespace heddle::device::cuda
