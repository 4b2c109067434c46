// Results of launches that were held and submitted together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <vector>

#include "graph/dag.hpp"
#include "sched/tracker.hpp"

namespace heddle::sched {

// A held launch is identified by its batch and its index there. It is no shared object, as a reference count would cost
// more than all other work for a held launch. Needs the core's lock.
class HeldBatches {
 public:
  struct Launch {
    std::uint64_t batch = 0;  // 0: not in a batch
    std::size_t index = 0;
  };
  struct Batch {
    bool together = false;                   // one task for all launches
    std::vector<graph::TaskRef> tasks = {};  // if together: one task; else one for each launch
    std::exception_ptr failure = {};         // of the submission
  };

  HeldBatches(const graph::Dag& dag, const Tracker& tracker) : dag_(dag), tracker_(tracker) {}

  // The number of the batch to which held launches are added now. Numbers begin with 1.
  std::uint64_t current() const { return current_; }
  // Records that the current batch was submitted, and begins the next one.
  void submitted(Batch batch);
  // The task of a launch of an earlier batch; id 0 if the batch is done and did not fail. Throws the failure of its
  // submission.
  graph::TaskRef task_of(const Launch& launch) const;

 private:
  // Of the finished batches, so many failed ones are kept, for handles that wait later.
  static constexpr std::size_t most_failed = 4096;

  bool is_done(const Batch& batch) const;
  bool has_failed(const Batch& batch) const;
  void forget_done();

  const graph::Dag& dag_;
  const Tracker& tracker_;
  std::uint64_t current_ = 1;  // the number after that of batches_.back(); asked for with each launch
  std::uint64_t first_ = 1;    // number of batches_.front()
  std::deque<Batch> batches_;  // the oldest may be in flight
  std::map<std::uint64_t, Batch> failed_;
};

}  // namespace heddle::sched
