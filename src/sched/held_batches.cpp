#include "sched/held_batches.hpp"

#include <algorithm>
#include <utility>

namespace heddle::sched {

bool HeldBatches::is_done(const Batch& batch) const {
  return std::all_of(batch.tasks.begin(), batch.tasks.end(),
                     [this](const graph::TaskRef& task) { return dag_.finished(task); });
}

bool HeldBatches::has_failed(const Batch& batch) const {
  return batch.failure != nullptr ||
         std::any_of(batch.tasks.begin(), batch.tasks.end(),
                     [this](const graph::TaskRef& task) { return tracker_.failure_of(task.id) != nullptr; });
}

void HeldBatches::forget_done() {
  for (; !batches_.empty() && is_done(batches_.front()); ++first_) {
    if (has_failed(batches_.front())) {
      if (failed_.size() == most_failed) failed_.erase(failed_.begin());
      failed_.emplace(first_, std::move(batches_.front()));
    }
    batches_.pop_front();
  }
}

void HeldBatches::submitted(Batch batch) {
  batches_.push_back(std::move(batch));
  ++current_;
  forget_done();
}

graph::TaskRef HeldBatches::task_of(const Launch& launch) const {
  const Batch* batch = nullptr;
  if (launch.batch >= first_) {
    batch = &batches_.at(launch.batch - first_);
  } else if (const auto failed = failed_.find(launch.batch); failed != failed_.end()) {
    batch = &failed->second;
  }
  if (batch == nullptr) return {};
  if (batch->failure) std::rethrow_exception(batch->failure);
  return batch->tasks[batch->together ? 0 : launch.index];
}

}  // namespace heddle::sched
