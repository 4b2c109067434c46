// memory-queue=mascar: an access that finds no MSHR or no line waits to be tried again, and later ones go before it.
// memory-queue=active-first: those of active blocks before all others, which have a queue of their own (Virtual Thread,
// section 2.6).
#include "device/sim/policies/memory_queue.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::size_t entries = 30;  // Virtual Thread, table 1

class Mascar final : public MemQueuePolicy {
 public:
  std::size_t capacity() const override { return entries; }
  std::size_t next(std::span<const WaitingAccess>, std::size_t refused) const override { return refused; }
};

class ActiveFirst final : public MemQueuePolicy {
 public:
  std::size_t capacity() const override { return 2 * entries; }
  std::size_t next(std::span<const WaitingAccess> waiting, std::size_t refused) const override {
    const std::size_t active = nth(waiting, true, 0, 0);
    if (active != waiting.size()) return refused == 0 ? active : nth(waiting, true, active, refused);
    return nth(waiting, false, 0, refused);
  }

 private:
  static std::size_t nth(std::span<const WaitingAccess> waiting, bool active, std::size_t from, std::size_t n) {
    for (std::size_t i = from; i < waiting.size(); ++i)
      if (waiting[i].active == active && n-- == 0) return i;
    return waiting.size();
  }
};

}  // namespace

std::unique_ptr<MemQueuePolicy> make_mascar() { return std::make_unique<Mascar>(); }
std::unique_ptr<MemQueuePolicy> make_active_first() { return std::make_unique<ActiveFirst>(); }

}  // namespace heddle::device::sim
