// How launches are ordered and overlapped.
#pragma once

namespace heddle {

// Policies of "GrCUDA: DAG-based scheduling" (Parravicini et al., IPDPS 2021, section IV-C), with its names. Results
// are the same with any of them.
struct Scheduling {
  enum class Execution {
    async,  // launches return at once, and overlap where they do not depend on each other
    sync    // one after the other, and the host waits for each: what everything is measured against
  };
  enum class Dependences {
    with_const,  // launches that only read the same bytes do not depend on each other
    no_const     // every argument is taken to be modified
  };
  enum class NewQueues {
    reuse,      // a launch that depends on none in flight takes the queue that has been empty for longest
    always_new  // or always a new one
  };
  enum class ChildQueues {
    disjoint,       // the first launch that depends on another goes on in its queue, more get queues of their own
    same_as_parent  // all go on in its queue
  };

  Execution execution = Execution::async;
  Dependences dependences = Dependences::with_const;
  NewQueues new_queues = NewQueues::reuse;
  ChildQueues child_queues = ChildQueues::disjoint;
  // Bytes that a launch needs are moved in its device's queues, beside other work; else the host waits for the move.
  bool prefetch = true;
  unsigned most_queues = 32;  // of a device
  // Launches that repeat themselves are put into a device all at once, as a graph where it has those.
  bool replay = true;
};

}  // namespace heddle
