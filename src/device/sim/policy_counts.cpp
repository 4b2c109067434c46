#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

const char* name(PolicyEvent event) {
  constexpr std::array<const char*, policy_events> names{
      "insertions",        "merged",      "lane conflicts",  "LUT evictions", "spilled",        "refilled",
      "orphaned",          "heap full",   "compacted",       "parted",        "joined",         "cold",
      "degraded",          "cold full",   "suspended",       "secondary",     "same row",       "same warp",
      "false dependences", "conflicts",   "swaps out",       "swaps in",      "context cycles", "context waits",
      "late writes",       "moved loads", "spilled entries", "replays"};
  return names[static_cast<unsigned>(event)];
}

}  // namespace heddle::device::sim
