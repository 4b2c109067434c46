#include "device/cuda/span_map.hpp"

#include <fmt/format.h>

#include <iterator>

namespace heddle::device::cuda {

void SpanMap::add(std::uint64_t address, std::uint64_t bytes) {
  const base::Lock lock(mutex_);
  spans_[address] = bytes;
}

void SpanMap::remove(std::uint64_t address) {
  const base::Lock lock(mutex_);
  spans_.erase(address);
}

bool SpanMap::contains(std::uint64_t address, std::uint64_t bytes) const {
  const base::Lock lock(mutex_);
  auto behind = spans_.upper_bound(address);
  if (behind == spans_.begin()) return false;
  const auto& [begin, size] = *std::prev(behind);
  return address - begin <= size && bytes <= size - (address - begin);
}

std::string SpanMap::whereabouts(std::uint64_t address) const {
  const base::Lock lock(mutex_);
  const auto behind = spans_.upper_bound(address);
  if (behind != spans_.begin()) {
    const auto& [begin, size] = *std::prev(behind);
    const std::uint64_t distance = address - begin;
    if (distance < size)
      return fmt::format("{} bytes behind the begin of the allocation of {} bytes at {:#x}", distance, size, begin);
    return fmt::format("{} bytes behind the end of the allocation of {} bytes at {:#x}", distance - size, size, begin);
  }
  if (behind == spans_.end()) return "there is no allocation";
  return fmt::format("{} bytes before the allocation of {} bytes at {:#x}", behind->first - address, behind->second,
                     behind->first);
}

}  // namespace heddle::device::cuda
