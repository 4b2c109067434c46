// Where the parameters of a function that is called lie, or its results: for each an array with an element for each
// lane. So what the lanes have of a number is one vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::device::cpu {

struct CallFrame {
  static constexpr std::uint64_t alignment = 16;
  struct Place {
    std::uint64_t offset = 0;  // of lane 0's
    std::uint64_t stride = 0;  // from lane to lane
  };
  std::vector<Place> places;  // by parameter
  std::uint64_t bytes = 0;
};

// Both sides of a call have the same: it depends on sizes and alignments only.
inline CallFrame call_frame(const std::vector<ptx::Variable>& variables, unsigned lanes) {
  const auto rounded = [](std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; };
  CallFrame frame;
  for (const ptx::Variable& variable : variables) {
    const std::uint64_t align = std::max<std::uint64_t>(variable.alignment(), 1);
    const std::uint64_t stride = rounded(variable.size(), align);
    frame.bytes = rounded(frame.bytes, lanes == 1 ? align : CallFrame::alignment);
    frame.places.push_back({frame.bytes, stride});
    frame.bytes += stride * lanes;
  }
  return frame;
}

}  // namespace heddle::device::cpu
