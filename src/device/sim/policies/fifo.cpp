// memory-queue=fifo: in the order of issue; the unit's own queue (lsu.queue) comes after this.
#include "device/sim/policies/memory_queue.hpp"

namespace heddle::device::sim {
namespace {

class Fifo final : public MemQueuePolicy {
 public:
  std::size_t capacity() const override { return 1; }
  std::size_t next(std::span<const WaitingAccess> waiting, std::size_t refused) const override {
    return refused == 0 ? 0 : waiting.size();
  }
};

}  // namespace

std::unique_ptr<MemQueuePolicy> make_fifo() { return std::make_unique<Fifo>(); }

}  // namespace heddle::device::sim
