// Launch queues: in these, tasks are held until a policy submits them. One for each stream or tenant.
#pragma once

#include <cstdint>
#include <string>

#include "sched/tenant.hpp"

namespace heddle::sched {

// Guarded by the core's lock.
struct LaunchQueue {
  std::uint32_t id = 0;
  std::string name;
  int priority = 0;
  // Its tasks are not submitted, except those for which something outside of the queue waits.
  bool suspended = false;
  std::uint64_t tasks = 0;      // that are not submitted
  Tenant* tenant = nullptr;     // whose queue it is; null: nobody's
  std::uint64_t launches = 0;   // since the last synchronisation
  std::uint64_t in_flight = 0;  // ranges
  std::uint64_t untimed = 0;    // of these, those whose end is not reported
  bool used = false;            // a range of it was submitted
  bool removed = false;         // by its owner; it ends with the last range in flight
};

}  // namespace heddle::sched
