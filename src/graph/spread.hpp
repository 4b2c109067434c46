// Distributes a DAG that is known as a whole over queues: which queue each task runs in, and which events order the
// queues. The policies are those of graph/queue_chooser.hpp, which chooses for one task at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::graph {

// A task by its position in a list. Its parents have smaller positions.
struct PlannedTask {
  std::uint32_t place = 0;  // the device that runs it
  std::vector<unsigned> parents = {};
};

struct Spread {
  struct Step {
    unsigned queue = 0;           // index into `places`
    bool begins = false;          // it is the first task of a queue other than queue 0, and waits for no task
    bool recorded = false;        // another queue waits for it, or queue 0 at the end
    std::vector<unsigned> waits;  // tasks in other queues for which its queue has to wait before it
  };
  std::vector<Step> steps;            // one for each task
  std::vector<std::uint32_t> places;  // the device of each queue; queue 0 is on device 0, even if it has no tasks
  std::vector<unsigned> tails;        // the last task of each queue but queue 0
  std::vector<unsigned> joins;        // the tails for which queue 0 has to wait at the end
};

// `most_queues`: at most so many queues of each device.
Spread spread(std::span<const PlannedTask> tasks, unsigned most_queues);

}  // namespace heddle::graph
