// Chooses the place of launches that name no device: collects the input of sched/placement.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sched/bound_launch.hpp"
#include "sched/links.hpp"
#include "sched/pinned_arrays.hpp"
#include "sched/placement.hpp"
#include "sched/scheduler.hpp"

namespace heddle::sched {

class Placer {
 public:
  // Null if there is no choice: because of the policy, or because no other device is of the same kind as the first.
  // `links`: as in Transfers.
  static std::unique_ptr<Placer> make(Scheduler& scheduler, const PinnedArrays& pinned,
                                      std::function<const LinkTable*()> links);
  Placer(Scheduler& scheduler, const PinnedArrays& pinned, std::function<const LinkTable*()> links,
         std::vector<std::size_t> places);

  // Whether the policy needs bandwidths, which have to be measured before the first choice.
  bool wants_links() const { return placement_.wants_links(); }
  // The place of a launch. These launches run on the first device: of kernels with module variables that may differ
  // between devices, those that are restricted to some processors, and all launches once the address of an array there
  // was taken. A device that a fault has lost is no longer chosen where another is left. Needs the core's lock.
  std::size_t choose(const BoundLaunch& launch);

 private:
  const char* tied(const BoundLaunch& launch) const;
  void leave_out_lost();

  Scheduler& scheduler_;
  const PinnedArrays& pinned_;
  const std::function<const LinkTable*()> links_;
  Placement placement_;
  std::vector<std::string> ids_;  // of all places
  bool logs_;
};

}  // namespace heddle::sched
