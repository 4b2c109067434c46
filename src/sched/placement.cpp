#include "sched/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/format.hpp"

namespace heddle::sched {
namespace {

using Policy = Scheduling::Placement;

// Devices that hold less than one in so many of the bytes are not preferred for what they hold.
constexpr std::uint64_t least_part = 10;

Memories only(std::size_t memory) { return Memories{1} << memory; }

std::uint64_t all_of(std::span<const NeededBytes> needed) {
  std::uint64_t sum = 0;
  for (const NeededBytes& piece : needed) sum += piece.bytes;
  return sum;
}

std::uint64_t held_by(std::size_t device, std::span<const NeededBytes> needed) {
  std::uint64_t sum = 0;
  for (const NeededBytes& piece : needed)
    if (piece.at & only(device)) sum += piece.bytes;
  return sum;
}

// Nothing at all is no reason to prefer a device.
bool holds_enough(std::uint64_t held, std::uint64_t all) { return held > 0 && held >= (all - 1) / least_part + 1; }

std::string milliseconds(double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); }

}  // namespace

Placement::Placement(Policy policy, std::vector<std::size_t> devices) : policy_(policy), devices_(std::move(devices)) {}

void Placement::leave_out(std::size_t device) {
  const auto at = std::find(devices_.begin(), devices_.end(), device);
  if (at == devices_.end() || devices_.size() == 1) return;
  devices_.erase(at);
  turn_ %= devices_.size();
}

std::size_t Placement::next_turn() {
  const std::size_t device = devices_[turn_];
  turn_ = (turn_ + 1) % devices_.size();
  return device;
}

double Placement::seconds(const NeededBytes& piece, std::size_t device, const LinkTable& links) const {
  if (piece.at & only(device)) return 0;
  const bool nearest = policy_ == Policy::minmin_transfer_time;
  double chosen = -1;
  for (Memories left = piece.at; left != 0; left &= left - 1) {
    const double each = links.seconds_per_byte(static_cast<std::size_t>(std::countr_zero(left)), device);
    if (chosen < 0 || (nearest ? each < chosen : each > chosen)) chosen = each;
  }
  return std::max(chosen, 0.0) * static_cast<double>(piece.bytes);
}

double Placement::cost(std::size_t device, std::span<const NeededBytes> needed, const LinkTable& links) const {
  double sum = 0;
  for (const NeededBytes& piece : needed) {
    if (wants_links())
      sum += seconds(piece, device, links);
    else if (!(piece.at & only(device)))
      sum += static_cast<double>(piece.bytes);
  }
  return sum;
}

PlacementChoice Placement::choose(std::span<const NeededBytes> needed, std::span<const std::uint32_t> busy_queues,
                                  const LinkTable& links) {
  if (policy_ == Policy::first) return {devices_.front(), PlacementReason::policy};
  if (policy_ == Policy::round_robin) return {next_turn(), PlacementReason::turn};
  if (policy_ == Policy::stream_aware) {
    const auto fewer = [&](std::size_t a, std::size_t b) { return busy_queues[a] < busy_queues[b]; };
    return {*std::min_element(devices_.begin(), devices_.end(), fewer), PlacementReason::fewest_busy};
  }
  const std::uint64_t all = all_of(needed);
  bool found = false;
  std::pair<double, std::uint32_t> least{};
  PlacementChoice choice{0, wants_links() ? PlacementReason::least_time : PlacementReason::fewest_bytes};
  for (const std::size_t device : devices_) {
    if (!holds_enough(held_by(device, needed), all)) continue;
    // Where bytes do not decide, work does.
    const std::pair<double, std::uint32_t> own{cost(device, needed, links), busy_queues[device]};
    if (found && own >= least) continue;
    found = true;
    least = own;
    choice.device = device;
  }
  if (!found) return {next_turn(), PlacementReason::nothing_held};
  return choice;
}

std::string Placement::explain(const PlacementChoice& choice, std::span<const NeededBytes> needed,
                               std::span<const std::uint32_t> busy_queues, const LinkTable& links,
                               std::span<const std::string> ids) const {
  static constexpr const char* reasons[] = {"it is the first",
                                            "it is its turn",
                                            "no device holds a tenth of the bytes, and it is its turn",
                                            "it has the fewest busy queues",
                                            "the fewest bytes have to be moved there",
                                            "the bytes are there soonest"};
  std::string text = reasons[static_cast<unsigned>(choice.reason)];
  if (choice.reason == PlacementReason::policy || choice.reason == PlacementReason::turn) return text;
  const char* separator = ": ";
  for (const std::size_t device : devices_) {
    text += separator + ids[device];
    if (choice.reason != PlacementReason::fewest_busy) {
      text += " holds " + base::format_bytes(held_by(device, needed)) + " of " + base::format_bytes(all_of(needed));
      if (wants_links()) text += " (" + milliseconds(cost(device, needed, links)) + " for the rest)";
      text += ",";
    }
    text += fmt::format(" has {}", base::counted(busy_queues[device], "busy queue"));
    separator = "; ";
  }
  return text;
}

}  // namespace heddle::sched
