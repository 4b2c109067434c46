// Early (programmatic) starts: a launch that runs while its arrays are still being copied from the host.
//
// The copy is made in pieces and reports its progress in a flag in the device's memory (device/progress_flag.hpp). The
// kernel runs in a form that looks at the flag before it reads (EarlyForm). Whether a kernel gains by that is measured
// (EarlyGain). A kernel that waits occupies processors, so it starts early only beside copies that nothing unfinished
// can hold up: then nothing can wait for it in turn.
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

// What bytes are copied to a device for.
enum class CopyPurpose : std::uint8_t {
  before,    // a launch after the copy
  timed,     // the same, with times of the copy's start and end
  reporting  // a launch that may start while they arrive: the copy is timed and reports its progress
};

class EarlyStart;

// Early starts of all launches, and the copies in flight that matter to them. Needs the core's lock.
class EarlyStarts final : public SubmissionHook {
 public:
  // `on`: else no launch starts early.
  EarlyStarts(Scheduler& scheduler, const PinnedArrays& pinned, bool on)
      : scheduler_(scheduler), pinned_(pinned), on_(on), places_(scheduler.places()) {}

  // For a launch whose arrays are acquired next. Makes the form of its kernel that starts early, where it is the first
  // that has a use for one, and gives the lock back meanwhile.
  void prepare_form(const BoundLaunch& launch, base::Lock& lock) HEDDLE_RELEASES_LOCK;
  // Decides whether the launch is to start early, to be measured, or neither.
  EarlyStart plan(const BoundLaunch& launch);

  // Submits a copy to a queue of the place. It reports its progress only where it comes from the host.
  graph::TaskRef copy(std::size_t place, std::span<const graph::Access> accesses, const device::Span& to,
                      const device::Span& from, CopyPurpose purpose, bool from_host);

  // The copies that report from here on are of another launch.
  void begin_launch(std::size_t place);
  // The flag of a copy in flight that a launch may start beside; null: of none, or the copy may be held up.
  std::shared_ptr<device::ProgressFlag> flag_of(graph::TaskRef copy) const;
  // A flag of the place that says that all bytes are there; null where copies cannot report.
  const std::shared_ptr<device::ProgressFlag>& arrived(std::size_t place);
  // For a launch that starts early: what it is submitted with.
  SubmissionHook* hook_for_launch(std::size_t place);
  // The launch is measured.
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
    std::vector<graph::TaskRef> previous, current;  // copies that report, of the launch before and of this one
    std::vector<graph::TaskRef> held_up;            // copies in flight, as far as is known, that may be held up
    std::vector<std::shared_ptr<const EarlySample>> samples;  // the last ones
    std::shared_ptr<device::ProgressFlag> arrived;            // see arrived()
    bool can_report = true;                                   // as far as is known
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
  std::vector<graph::TaskRef> free_;  // tasks in flight that nothing unfinished can hold up
  std::vector<Reporting> reporting_;  // copies in flight
  // Of the submission under way.
  std::size_t place_ = 0;
  bool copies_ = false, reports_ = false, unhindered_ = false;
};

// The early start of one launch, from EarlyStarts::plan() until the launch is submitted. Empty: the launch starts after
// its copies. Needs the core's lock.
class EarlyStart {
 public:
  // What the array is to be copied for, by its place among the launch's arrays.
  CopyPurpose purpose(std::size_t array) const { return plan_ ? plan_->purposes[array] : CopyPurpose::before; }

  // The arrays are acquired: `accesses` are theirs, in the same order, and others after them.
  void settle(const BoundLaunch& launch, std::span<const graph::Access> accesses) {
    if (plan_) find_early_parents(launch, accesses);
  }
  // Puts in what the launch is submitted with.
  void complete(Submission& submission, const BoundLaunch& launch) const {
    if (plan_) fill_submission(submission, launch);
  }
  // What is launched in place of the kernel; null: the kernel itself.
  device::Function* function() const {
    return !plan_ || plan_->early_parents.empty() ? nullptr : plan_->form->function;
  }
  // The arguments of function(), which is not null: those of the kernel and the addresses of the flags.
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
