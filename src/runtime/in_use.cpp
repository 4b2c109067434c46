#include "runtime/in_use.hpp"

#include <utility>

namespace heddle::runtime {

void InUse::add(std::size_t place, std::shared_ptr<device::Event> event, bool writes) {
  if (last_.size() <= place) last_.resize(place + 1);
  if (writes) last_[place].write = event;
  last_[place].use = std::move(event);
}

void InUse::order_after(device::Queue& queue, std::size_t place) const {
  for (std::size_t i = 0; i < last_.size(); ++i) {
    if (i != place && last_[i].use && !last_[i].use->done()) queue.wait(*last_[i].use);
  }
}

std::vector<Pending> InUse::collect(bool writers) const {
  std::vector<Pending> pending;
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const auto& event = writers ? last_[i].write : last_[i].use;
    if (event) pending.push_back({i, event});
  }
  return pending;
}

void InUse::forget(const Pending& pending) {
  if (pending.place >= last_.size()) return;
  Last& last = last_[pending.place];
  if (last.use == pending.event) last = {};  // the last use is done, so every write before it is
  if (last.write == pending.event) last.write = nullptr;
}

}  // namespace heddle::runtime
