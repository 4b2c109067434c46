#include "device/cpu/stall.hpp"

#include <cstring>

#include "device/cpu/sanitizer.hpp"

namespace heddle::device::cpu {

HEDDLE_NO_SANITIZE std::uint64_t fold_memory(std::uint64_t hash, const void* data, std::size_t bytes) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15ull;
  // Four chains, so that multiplications overlap: as fast as memory.
  std::uint64_t lanes[4] = {hash, hash + 1, hash + 2, hash + 3};
  const auto* words = static_cast<const volatile std::uint64_t*>(data);
  std::size_t word = 0;
  for (; (word + 4) * 8 <= bytes; word += 4)
    for (unsigned lane = 0; lane < 4; ++lane) lanes[lane] = (lanes[lane] ^ words[word + lane]) * factor;
  const auto* rest = static_cast<const volatile std::uint8_t*>(data);
  for (std::size_t i = word * 8; i < bytes; ++i) lanes[i % 4] = (lanes[i % 4] ^ rest[i]) * factor;
  for (std::uint64_t lane : lanes) hash = ((hash ^ lane) * factor) ^ (lane >> 29);
  return hash;
}

}  // namespace heddle::device::cpu
