#include <iterator>

#include "base/fail.hpp"
#include "base/nearest.hpp"
#include "device/sim/memory/fifo_queue.hpp"
#include "device/sim/memory/queue_policy.hpp"

namespace heddle::device::sim {
namespace {

template <typename Policy>
std::unique_ptr<MemoryQueuePolicy> make() {
  return std::make_unique<Policy>();
}

constexpr struct {
  std::string_view name;
  std::unique_ptr<MemoryQueuePolicy> (*make)();
} policies[] = {
    {"fifo", make<FifoQueue>},
};

}  // namespace

std::vector<std::string> memory_queue_policies() {
  std::vector<std::string> names;
  for (const auto& policy : policies) names.emplace_back(policy.name);
  return names;
}

std::unique_ptr<MemoryQueuePolicy> make_memory_queue_policy(std::string_view name) {
  for (const auto& policy : policies) {
    if (policy.name == name) return policy.make();
  }
  const auto names = memory_queue_policies();
  base::fail(ErrorCode::not_found, "there is no memory queue '{}'{}; there are: {}", name,
             base::did_you_mean(name, names), fmt::join(names, ", "));
}

}  // namespace heddle::device::sim
