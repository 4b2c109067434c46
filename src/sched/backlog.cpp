#include "sched/backlog.hpp"

#include <algorithm>
#include <exception>

#include "base/log.hpp"

namespace heddle::sched {

static bool is_reached(const std::shared_ptr<const Backlog::Mark>& mark) {
  return std::all_of(mark->begin(), mark->end(), [](const auto& point) { return point->done(); });
}

void Backlog::add(Mark mark) noexcept {
  try {
    auto shared = std::make_shared<const Mark>(std::move(mark));
    const base::Lock lock(mutex_);
    while (!open_.empty() && is_reached(open_.front())) open_.pop_front();
    open_.push_back(std::move(shared));
    marks_.store(static_cast<std::uint32_t>(open_.size()), std::memory_order_relaxed);
  } catch (const std::exception& error) {
    base::log_debug("more commands may be pending than usual: {}", error.what());
  }
}

void Backlog::wait_for_room() {
  for (;;) {
    std::shared_ptr<const Mark> oldest;
    {
      const base::Lock lock(mutex_);
      while (!open_.empty() && is_reached(open_.front())) open_.pop_front();
      marks_.store(static_cast<std::uint32_t>(open_.size()), std::memory_order_relaxed);
      if (open_.size() < most) return;
      oldest = open_.front();
    }
    for (const auto& point : *oldest) device::wait_until_done(*point);
  }
}

}  // namespace heddle::sched
