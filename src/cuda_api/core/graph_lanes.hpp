// The queues of a device on which graphs run in addition to the launch stream's, and the ends of their work. The
// program gets a failure in one of them when it waits for the stream.
#pragma once

#include <memory>
#include <vector>

#include "base/thread_safety.hpp"
#include "heddle/device.hpp"

namespace heddle::cuda_api {

// Any thread.
class GraphLanes {
 public:
  // Queues go from one executable graph to the next.
  heddle::Queue take(const heddle::Device& device);
  void give(heddle::Queue queue);
  // Events that stand for the ends of lanes, while the result lives.
  std::shared_ptr<void> watch(std::vector<heddle::Event> ends);
  // Throws the Error of a watched lane that has failed.
  void check();
  // Keeps something until the event is reached.
  void keep_until(const heddle::Event& end, std::shared_ptr<void> what);
  void drop_finished();
  void reset();

 private:
  using Ends = std::vector<heddle::Event>;
  struct Kept {
    heddle::Event end;
    std::shared_ptr<void> what;
  };
  heddle::base::Mutex mutex_;
  std::vector<heddle::Queue> free_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<Ends>> watched_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<Kept> kept_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::cuda_api
