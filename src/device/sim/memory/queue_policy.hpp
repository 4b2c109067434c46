// Which of the accesses that wait in a load/store unit is served next. A policy is one file and one line in
// queue_policies.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

class MemoryQueuePolicy {
 public:
  struct Waiting {
    AccessTag tag = 0;
    Cycle since = 0;
    MemoryStall blocked = MemoryStall::none;  // why it could not go on; `none` again when data have arrived
  };
  virtual ~MemoryQueuePolicy() = default;
  // The index of the access whose next transaction is looked up; waiting.size(): none until data arrive. They are in
  // the order of their acceptance, and at least one. Asked whenever something has changed.
  virtual std::size_t next(std::span<const Waiting> waiting) = 0;
};

std::vector<std::string> memory_queue_policies();
// Throws not_found with the names that there are.
std::unique_ptr<MemoryQueuePolicy> make_memory_queue_policy(std::string_view name);

}  // namespace heddle::device::sim
