// How launches are ordered and overlapped.
#pragma once

#include <cstddef>

namespace heddle {

// Policies of "GrCUDA: DAG-based scheduling" (Parravicini et al., IPDPS 2021, section IV-C), with its names. Results
// are the same with any of them.
struct Scheduling {
  enum class Execution {
    async,  // launches return at once, and overlap where they do not depend on each other
    sync    // one after the other, and the host waits for each: the baseline of measurements
  };
  enum class Dependences {
    with_const,  // launches that only read the same bytes do not depend on each other
    no_const     // every argument counts as modified
  };
  enum class NewQueues {
    reuse,      // a launch that depends on none in flight takes the queue that has been empty for longest
    always_new  // or always a new one
  };
  enum class ChildQueues {
    disjoint,       // the first launch that depends on another uses its queue, further ones get their own
    same_as_parent  // all use its queue
  };

  // The device of a launch that names none. The choice is among devices like the runtime's first: GPUs, or devices that
  // are not GPUs. More in docs/scheduling.md.
  enum class Placement {
    first,                 // the runtime's first device
    round_robin,           // one after the other
    stream_aware,          // the one with the fewest busy queues
    min_transfer_size,     // the one to which the fewest bytes have to be moved
    minmin_transfer_time,  // the one that has them soonest, each array by the fastest link there
    minmax_transfer_time   // or by the slowest
  };

  Execution execution = Execution::async;
  Dependences dependences = Dependences::with_const;
  NewQueues new_queues = NewQueues::reuse;
  ChildQueues child_queues = ChildQueues::disjoint;
  // Bytes that a launch needs are moved in its device's queues, concurrently with other work; otherwise the host waits
  // for the move.
  bool prefetch = true;
  Placement placement = Placement::first;
  unsigned most_queues = 32;  // of a device
  // Launches that repeat are put into a device all at once, as a graph if the device has graphs.
  bool replay = true;
  // On GPUs, a launch may begin before its arrays have arrived from the host, if one of them has so many bytes or more.
  // It then waits only for the bytes that it is about to read (docs/scheduling.md, "Early starts"). Only kernels that
  // were found to gain by it start early. 0: never.
  std::size_t early_start_bytes = std::size_t{32} << 20;
};

}  // namespace heddle
