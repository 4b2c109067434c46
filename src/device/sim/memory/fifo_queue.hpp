// One access after the other: one that cannot go on holds up all behind it.
#pragma once

#include "device/sim/memory/queue_policy.hpp"

namespace heddle::device::sim {

class FifoQueue final : public MemoryQueuePolicy {
 public:
  std::size_t next(std::span<const Waiting> waiting) override {
    return waiting[0].blocked == MemoryStall::none ? 0 : waiting.size();
  }
};

}  // namespace heddle::device::sim
