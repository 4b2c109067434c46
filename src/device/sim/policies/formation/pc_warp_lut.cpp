#include "device/sim/policies/formation/pc_warp_lut.hpp"

namespace heddle::device::sim {

PcWarpLut::PcWarpLut(unsigned entries, unsigned ways)
    : ways_(entries % ways == 0 ? ways : entries), entries_(entries) {}

PcWarpLut::Entry* PcWarpLut::set_of(const Place& place) {
  return &entries_[place.pc % (entries_.size() / ways_) * ways_];
}

std::uint32_t PcWarpLut::find(const Place& place) {
  Entry* const set = set_of(place);
  for (unsigned i = 0; i < ways_; ++i) {
    if (set[i].warp == no_warp || set[i].place != place) continue;
    set[i].used = ++clock_;
    return set[i].warp;
  }
  return no_warp;
}

bool PcWarpLut::set(const Place& place, std::uint32_t warp) {
  Entry* const set = set_of(place);
  Entry* chosen = set;
  for (unsigned i = 0; i < ways_; ++i) {
    if (set[i].warp != no_warp && set[i].place == place) {
      chosen = &set[i];
      break;
    }
    const bool better = set[i].warp == no_warp ? chosen->warp != no_warp : set[i].used < chosen->used;
    if (better && (chosen->warp != no_warp || set[i].warp == no_warp)) chosen = &set[i];
  }
  const bool evicted = chosen->warp != no_warp && chosen->place != place;
  *chosen = {place, warp, ++clock_};
  return evicted;
}

void PcWarpLut::forget(std::uint32_t warp) {
  for (Entry& entry : entries_)
    if (entry.warp == warp) entry.warp = no_warp;
}

}  // namespace heddle::device::sim
