// Where launches go that name no device: gathers what sched/placement.hpp decides by.
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
  // Null where there is nothing to choose: by policy, or since no other device is like the first one. `links`: as in
  // Transfers.
  static std::unique_ptr<Placer> make(Scheduler& scheduler, const PinnedArrays& pinned,
                                      std::function<const LinkTable*()> links);
  Placer(Scheduler& scheduler, const PinnedArrays& pinned, std::function<const LinkTable*()> links,
         std::vector<std::size_t> places);

  // Whether the policy goes by bandwidths, which have to be measured before the first choice.
  bool wants_links() const { return placement_.wants_links(); }
  // The place of a launch. What is tied to the first device goes there: kernels with variables of their module that may
  // differ between devices, everything once the address of an array there was taken, and launches on some processors.
  // Needs the core's lock.
  std::size_t choose(const BoundLaunch& launch);

 private:
  const char* tied(const BoundLaunch& launch) const;

  Scheduler& scheduler_;
  const PinnedArrays& pinned_;
  const std::function<const LinkTable*()> links_;
  Placement placement_;
  std::vector<std::string> ids_;  // of all places
  bool logs_;
};

}  // namespace heddle::sched
