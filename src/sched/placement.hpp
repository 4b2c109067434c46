// Which device a launch goes to that names none.
//
// Device policies of GrCUDA's release for several GPUs, with its names. Those that count bytes look only at devices
// that hold a tenth of the launch's bytes or more; where none does, devices take turns.
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

// Bytes that a launch needs, and the memories that have them; at least one.
struct NeededBytes {
  std::uint64_t bytes = 0;
  Memories at = 0;
};

enum class PlacementReason : std::uint8_t {
  policy,        // Scheduling::Placement::first
  turn,          // it was the device's turn
  nothing_held,  // no device holds enough of the bytes, so it was its turn
  fewest_busy,   // it has the fewest busy queues
  fewest_bytes,  // the fewest bytes have to be moved there
  least_time     // they are there soonest
};

struct PlacementChoice {
  std::size_t device = 0;
  PlacementReason reason = PlacementReason::turn;
};

// One thread at a time. Costs no allocation.
class Placement {
 public:
  // `devices`: the numbers of those to choose from, ascending, of 63 at most; at least one.
  Placement(Scheduling::Placement policy, std::vector<std::size_t> devices);

  // `busy_queues`: by device. `links`: of all memories, for the policies that want_links().
  PlacementChoice choose(std::span<const NeededBytes> needed, std::span<const std::uint32_t> busy_queues,
                         const LinkTable& links);
  bool wants_links() const {
    return policy_ == Scheduling::Placement::minmin_transfer_time ||
           policy_ == Scheduling::Placement::minmax_transfer_time;
  }
  const std::vector<std::size_t>& devices() const { return devices_; }

  // The numbers that the choice came from, as a sentence: "it holds the most: 8 MiB to move to cuda:0, 0 B to cuda:1".
  // `ids`: the devices' names, by number.
  std::string explain(const PlacementChoice& choice, std::span<const NeededBytes> needed,
                      std::span<const std::uint32_t> busy_queues, const LinkTable& links,
                      std::span<const std::string> ids) const;

 private:
  std::size_t next_turn();
  // What the policy counts, the less the better: bytes, or seconds.
  double cost(std::size_t device, std::span<const NeededBytes> needed, const LinkTable& links) const;
  double seconds(const NeededBytes& piece, std::size_t device, const LinkTable& links) const;

  Scheduling::Placement policy_;
  std::vector<std::size_t> devices_;
  std::size_t turn_ = 0;
};

}  // namespace heddle::sched
