// MemQueuePolicy: the memory accesses that have issued and that the load/store unit has not taken yet.
#pragma once

#include <cstddef>
#include <memory>

namespace heddle::device::sim {

// One object for each SM.
class MemQueuePolicy {
 public:
  virtual ~MemQueuePolicy() = default;
  // How many accesses may wait; no memory instruction issues while so many do.
  virtual std::size_t capacity() const = 0;
  // Which of `waiting` accesses, in the order of their issue, is offered to the load/store unit next.
  virtual std::size_t next(std::size_t waiting) const = 0;
};

std::unique_ptr<MemQueuePolicy> make_fifo();

}  // namespace heddle::device::sim
