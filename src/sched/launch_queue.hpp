// Launch queues: where tasks are held until a policy has them submitted, one for each stream or tenant.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::sched {

// Guarded by the core's lock.
struct LaunchQueue {
  std::uint32_t id = 0;
  std::string name;
  int priority = 0;
  // Its tasks are not submitted, but for those that something outside of the queue waits for.
  bool suspended = false;
  std::uint64_t tasks = 0;  // not submitted
};

}  // namespace heddle::sched
