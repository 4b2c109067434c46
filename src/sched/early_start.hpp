// Early (programmatic) starts: a launch begins while its arrays are still being copied from the host.
//
// The copy is made in pieces and reports its progress in a flag in the device's memory (device/progress_flag.hpp). The
// kernel runs in a form that checks the flag before it reads (EarlyForm). Whether a kernel gains by that is measured
// (EarlyGain). A kernel that waits occupies processors. So it starts early only during copies that no unfinished task
// can hold up: then there can be no cycle of waits.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/progress_flag.hpp"
#include "graph/dag.hpp"
#include "sched/bound_launch.hpp"
#include "sched/early_form.hpp"
#include "sched/pinned_arrays.hpp"
#include "sched/scheduler.hpp"

namespace heddle::sched {

// The purpose of a copy to a device.
enum class CopyPurpose : std::uint8_t {
  before,    // for a launch after the copy
  timed,     // the same, with times of the copy's start and end
  reporting  // for a launch that may start during the copy: the copy is timed and reports its progress
};

class EarlyStart;

// Decides about early starts of all launches, and tracks the copies in flight for them. Needs the core's lock.
class EarlyStarts final : public SubmissionHook {
 public:
  // `on`: false: no launch starts early.
  EarlyStarts(Scheduler& scheduler, const PinnedArrays& pinned, bool on)
      : scheduler_(scheduler), pinned_(pinned), on_(on), places_(scheduler.places()) {}

  // To be called before the launch's arrays are acquired. Makes the early form of its kernel if this is the first
  // launch that can use it. Releases the lock meanwhile.
  void prepare_form(const BoundLaunch& launch, base::Lock& lock) HEDDLE_RELEASES_LOCK;
  // Decides whether the launch starts early, is measured, or neither.
  EarlyStart plan(const BoundLaunch& launch);

  // Submits a copy to a queue of the place. Only copies from the host report their progress.
  graph::TaskRef copy(std::size_t place, std::span<const graph::Access> accesses, const device::Span& to,
                      const device::Span& from, CopyPurpose purpose, bool from_host);

  // Copies that report from now on belong to the next launch.
  void begin_launch(std::size_t place);
  // The flag of a copy in flight during which a launch may start. Null if the copy has no flag, is done, or may be held
  // up.
  std::shared_ptr<device::ProgressFlag> flag_of(graph::TaskRef copy) const;
  // A flag of the place whose state is "all bytes have arrived"; null if copies cannot report there.
  const std::shared_ptr<device::ProgressFlag>& arrived(std::size_t place);
  // The hook with which a launch that starts early is submitted.
  SubmissionHook* hook_for_launch(std::size_t place);
  // Adds a launch that is measured.
  void add_sample(std::size_t place, std::shared_ptr<const EarlySample> sample);
  std::span<const std::shared_ptr<const EarlySample>> samples(std::size_t place) const {
    return places_[place].samples;
  }

  std::optional<std::size_t> parents_known(graph::TaskRef task) override;
  void queue_known(graph::TaskRef task, graph::TaskRef before) override;

 private:
  bool may_apply(const BoundLaunch& launch);

  static constexpr std::size_t most_dedicated_queues = 4, most_samples = 16;
  struct Place {
    std::vector<graph::TaskRef> previous, current;  // copies that report: of the launch before, and of this one
    std::vector<graph::TaskRef> held_up;            // copies that may be held up and are not known to be finished
    std::vector<std::shared_ptr<const EarlySample>> samples;  // of the last launches
    std::shared_ptr<device::ProgressFlag> arrived;            // see arrived()
    bool can_report = true;                                   // false: the device is known to have no flags
  };
  struct Reporting {
    graph::TaskRef copy;
    std::shared_ptr<device::ProgressFlag> flag;
  };
  bool cannot_be_held_up(graph::TaskRef task) const;

  Scheduler& scheduler_;
  const PinnedArrays& pinned_;
  const bool on_;
  std::deque<Place> places_;
  std::vector<graph::TaskRef> free_;  // tasks in flight that no unfinished task can hold up
  std::vector<Reporting> reporting_;  // copies in flight
  // State of the submission in progress.
  std::size_t place_ = 0;
  bool copies_ = false, reports_ = false, unhindered_ = false;
};

// The early start of one launch, from EarlyStarts::plan() until the launch is submitted. Empty: the launch starts after
// its copies. Needs the core's lock.
class EarlyStart {
 public:
  // The purpose of the copies of an array, by its index among the launch's arrays.
  CopyPurpose purpose(std::size_t array) const { return plan_ ? plan_->purposes[array] : CopyPurpose::before; }

  // To be called when the arrays are acquired. `accesses`: those of the arrays, in the same order, then others.
  void settle(const BoundLaunch& launch, std::span<const graph::Access> accesses) {
    if (plan_) find_early_parents(launch, accesses);
  }
  // Fills in the launch's submission.
  void complete(Submission& submission, const BoundLaunch& launch) const {
    if (plan_) fill_submission(submission, launch);
  }
  // The function that is launched instead of the kernel; null: the kernel itself.
  device::Function* function() const {
    return !plan_ || plan_->early_parents.empty() ? nullptr : plan_->form->function;
  }
  // The arguments of function(), if that is not null: those of the kernel, and the addresses of the flags.
  std::span<const std::byte> arguments(std::span<const std::byte> packed);

 private:
  friend class EarlyStarts;
  struct Plan {
    EarlyStarts* starts;
    Scheduler* scheduler;
    EarlyForm* form;
    bool early = false, measured = true;
    boost::container::small_vector<CopyPurpose, 16> purposes = {};  // by array
    boost::container::small_vector<graph::TaskRef, 2> early_parents = {};
    boost::container::small_vector<std::uint64_t, 4> flags = {};  // addresses
    std::vector<std::shared_ptr<device::ProgressFlag>> kept = {};
    std::shared_ptr<EarlySample> sample = {};
    boost::container::small_vector<std::byte, 256> packed = {};
  };
  void find_early_parents(const BoundLaunch& launch, std::span<const graph::Access> accesses);
  void fill_submission(Submission& submission, const BoundLaunch& launch) const;

  std::unique_ptr<Plan> plan_;  // most launches have none
};

}  // namespace heddle::sched
