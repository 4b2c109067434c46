// What became of launches that were held and submitted together.
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

// A launch that is held is named by its batch and its position there: to hold one shares no ownership, which would
// cost more than the rest of it. Needs the core's lock.
class HeldBatches {
 public:
  struct Launch {
    std::uint64_t batch = 0;  // 0: of none
    std::size_t index = 0;
  };
  struct Batch {
    bool together = false;                   // one task for all launches
    std::vector<graph::TaskRef> tasks = {};  // else one for each
    std::exception_ptr failure = {};         // submitting them failed
  };

  HeldBatches(const graph::Dag& dag, const Tracker& tracker) : dag_(dag), tracker_(tracker) {}

  // The batch that launches are held for now. Numbers begin with 1.
  std::uint64_t current() const { return first_ + batches_.size(); }
  // The current batch is submitted; the next one begins.
  void submitted(Batch batch);
  // The task of a launch of an earlier batch; without a number if it is done and nothing failed. Throws what submitting
  // it failed with.
  graph::TaskRef task_of(const Launch& launch) const;

 private:
  // Of batches that are done those that failed are kept, up to so many, for handles that ask later.
  static constexpr std::size_t most_failed = 4096;

  bool is_done(const Batch& batch) const;
  bool has_failed(const Batch& batch) const;
  void forget_done();

  const graph::Dag& dag_;
  const Tracker& tracker_;
  std::uint64_t first_ = 1;    // number of the first one in batches_
  std::deque<Batch> batches_;  // the oldest may be in flight
  std::map<std::uint64_t, Batch> failed_;
};

}  // namespace heddle::sched
