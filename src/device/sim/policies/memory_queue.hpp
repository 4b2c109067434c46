// MemQueuePolicy: the memory accesses that have issued and that the load/store unit has not taken yet.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace heddle::device::sim {

struct WaitingAccess {
  bool active = true;  // of a block that is active
};

// One object for each SM.
class MemQueuePolicy {
 public:
  virtual ~MemQueuePolicy() = default;
  // How many accesses may wait; no memory instruction issues while so many do.
  virtual std::size_t capacity() const = 0;
  // Which of `waiting` accesses, in the order of their issue, is offered to the load/store unit after `refused` others
  // have been refused in this cycle; waiting.size(): none.
  virtual std::size_t next(std::span<const WaitingAccess> waiting, std::size_t refused) const = 0;
};

std::unique_ptr<MemQueuePolicy> make_fifo();
std::unique_ptr<MemQueuePolicy> make_mascar();
std::unique_ptr<MemQueuePolicy> make_active_first();

}  // namespace heddle::device::sim
