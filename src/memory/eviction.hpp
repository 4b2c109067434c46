// Which copies are evicted from a device whose memory is too small.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/array.hpp"

namespace heddle::memory {

// A copy that may be evicted: no launch that is being submitted needs it.
struct EvictionCandidate {
  Array* array = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t dirty = 0;     // bytes of these that are current nowhere else and must be written back
  std::uint64_t last_use = 0;  // a number that grows with every use
};

class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;
  // Sorts the candidates into the order of their eviction. Only as many are evicted as are needed.
  virtual void order(std::vector<EvictionCandidate>& candidates) const = 0;
};

// The least recently used first. Among those used at the same time, the one with the fewest bytes to write back first.
class LeastRecentlyUsed final : public EvictionPolicy {
 public:
  void order(std::vector<EvictionCandidate>& candidates) const override {
    std::sort(candidates.begin(), candidates.end(), [](const EvictionCandidate& a, const EvictionCandidate& b) {
      return a.last_use != b.last_use ? a.last_use < b.last_use : a.dirty < b.dirty;
    });
  }
};

}  // namespace heddle::memory
