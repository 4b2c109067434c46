#include "device/machine/effects.hpp"

#include <algorithm>

namespace heddle::device::machine {

void Effects::order_by_turn() {
  if (access_count_ < 2) return;
  std::array<std::uint8_t, warp_size> turns{};
  std::array<std::uint8_t, most_of_a_lane * warp_size> turn;
  for (unsigned i = 0; i < access_count_; ++i) turn[i] = turns[accesses_[i].lane]++;
  std::array<MemoryAccess, most_of_a_lane * warp_size> ordered;
  unsigned next = 0;
  for (unsigned wanted = 0; next < access_count_; ++wanted)
    for (unsigned i = 0; i < access_count_; ++i)
      if (turn[i] == wanted) ordered[next++] = accesses_[i];
  std::copy_n(ordered.begin(), access_count_, accesses_.begin());
}

}  // namespace heddle::device::machine
