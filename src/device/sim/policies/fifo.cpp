// memory-queue=fifo: in the order of issue; the unit's own queue (lsu.queue) comes after this.
#include "device/sim/policies/memory_queue.hpp"

namespace heddle::device::sim {
namespace {

class Fifo final : public MemQueuePolicy {
 public:
  std::size_t capacity() const override { return 1; }
  std::size_t next(std::size_t) const override { return 0; }
};

}  // namespace

std::unique_ptr<MemQueuePolicy> make_fifo() { return std::make_unique<Fifo>(); }

}  // namespace heddle::device::sim
