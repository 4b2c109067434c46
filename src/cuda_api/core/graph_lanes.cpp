#include "cuda_api/core/graph_lanes.hpp"

#include <utility>

namespace heddle::cuda_api {

heddle::Queue GraphLanes::take(const heddle::Device& device) {
  const base::Lock lock(mutex_);
  if (free_.empty()) return device.queue({.bounded = false});
  heddle::Queue queue = std::move(free_.back());
  free_.pop_back();
  return queue;
}

void GraphLanes::give(heddle::Queue queue) {
  const base::Lock lock(mutex_);
  free_.push_back(std::move(queue));
}

std::shared_ptr<void> GraphLanes::watch(std::vector<heddle::Event> ends) {
  auto watched = std::make_shared<Ends>(std::move(ends));
  const base::Lock lock(mutex_);
  std::erase_if(watched_, [](const std::weak_ptr<Ends>& old) { return old.expired(); });
  watched_.push_back(watched);
  return watched;
}

void GraphLanes::check() {
  std::vector<std::shared_ptr<Ends>> all;
  {
    const base::Lock lock(mutex_);
    for (const std::weak_ptr<Ends>& ends : watched_)
      if (auto locked = ends.lock()) all.push_back(std::move(locked));
  }
  for (const std::shared_ptr<Ends>& ends : all)
    for (const heddle::Event& end : *ends)
      if (end.done()) end.wait();
}

void GraphLanes::keep_until(const heddle::Event& end, std::shared_ptr<void> what) {
  drop_finished();
  const base::Lock lock(mutex_);
  kept_.push_back({end, std::move(what)});
}

void GraphLanes::drop_finished() {
  std::vector<Kept> done;  // ends after the lock is given back: user objects call functions of the program
  const base::Lock lock(mutex_);
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    if (!kept->end.done()) {
      ++kept;
      continue;
    }
    done.push_back(std::move(*kept));
    kept = kept_.erase(kept);
  }
}

void GraphLanes::reset() {
  std::vector<Kept> kept;
  const base::Lock lock(mutex_);
  free_.clear();
  watched_.clear();
  kept.swap(kept_);
}

}  // namespace heddle::cuda_api
