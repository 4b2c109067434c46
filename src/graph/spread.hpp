// Queues for a DAG that is known as a whole: which queue each task runs in, and which events order the queues. The
// policies are those of tasks that are chosen as they come (graph/queue_chooser.hpp).
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
    unsigned queue = 0;           // its position in `places`
    bool begins = false;          // the first one in its queue, which is not queue 0, and it waits for no other
    bool recorded = false;        // another queue, or the end of all, waits for it
    std::vector<unsigned> waits;  // tasks in other queues that its queue has to wait for first
  };
  std::vector<Step> steps;            // one for each task
  std::vector<std::uint32_t> places;  // the device of each queue; queue 0 is of device 0, with tasks or without
  std::vector<unsigned> tails;        // the last task of each queue but queue 0
  std::vector<unsigned> joins;        // tails that queue 0 has to wait for at the end
};

// At most `most_queues` queues of each device.
Spread spread(std::span<const PlannedTask> tasks, unsigned most_queues);

}  // namespace heddle::graph
