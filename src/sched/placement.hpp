// Chooses the device of a launch that names none.
//
// The policies are those of GrCUDA's release for several GPUs, with its names. Policies that count bytes consider only
// devices that hold a tenth of the launch's bytes or more. If there is no such device, devices take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heddle/scheduling.hpp"
#include "sched/links.hpp"

namespace heddle::sched {

using Memories = std::uint64_t;  // a set: bit m for memory m (links.hpp)

// Bytes that a launch needs, and the memories where they are current; at least one.
struct NeededBytes {
  std::uint64_t bytes = 0;
  Memories at = 0;
};

enum class PlacementReason : std::uint8_t {
  policy,        // Scheduling::Placement::first
  turn,          // round robin
  nothing_held,  // no device holds enough of the bytes, so round robin
  fewest_busy,   // it has the fewest busy queues
  fewest_bytes,  // the fewest bytes have to be copied there
  least_time     // the bytes arrive there soonest
};

struct PlacementChoice {
  std::size_t device = 0;
  PlacementReason reason = PlacementReason::turn;
};

// One thread at a time. choose() allocates nothing.
class Placement {
 public:
  // `devices`: the numbers of the devices to choose from, ascending; 1 to 63 of them.
  Placement(Scheduling::Placement policy, std::vector<std::size_t> devices);

  // `busy_queues`: by device. `links`: of all memories; needed if wants_links().
  PlacementChoice choose(std::span<const NeededBytes> needed, std::span<const std::uint32_t> busy_queues,
                         const LinkTable& links);
  bool wants_links() const {
    return policy_ == Scheduling::Placement::minmin_transfer_time ||
           policy_ == Scheduling::Placement::minmax_transfer_time;
  }
  const std::vector<std::size_t>& devices() const { return devices_; }
  // Chooses the device no more, unless it is the last one.
  void leave_out(std::size_t device);

  // The reason for the choice, with its numbers, as a sentence: "it holds the most: 8 MiB to move to cuda:0, 0 B to
  // cuda:1". `ids`: the devices' ids, by number.
  std::string explain(const PlacementChoice& choice, std::span<const NeededBytes> needed,
                      std::span<const std::uint32_t> busy_queues, const LinkTable& links,
                      std::span<const std::string> ids) const;

 private:
  std::size_t next_turn();
  // What the policy minimises: bytes or seconds.
  double cost(std::size_t device, std::span<const NeededBytes> needed, const LinkTable& links) const;
  double seconds(const NeededBytes& piece, std::size_t device, const LinkTable& links) const;

  Scheduling::Placement policy_;
  std::vector<std::size_t> devices_;
  std::size_t turn_ = 0;
};

}  // namespace heddle::sched
