#include "device/sim/record/line_counts.hpp"

namespace heddle::device::sim {

const char* name(WarpUse use) {
  constexpr std::array<const char*, warp_uses> names{"issue", "control", "barrier", "result", "memory", "pipeline"};
  return names[static_cast<unsigned>(use)];
}

LineCount& LineCount::operator+=(const LineCount& other) {
  issues += other.issues;
  lanes += other.lanes;
  for (unsigned i = 0; i < warp_uses; ++i) cycles[i] += other.cycles[i];
  return *this;
}

void add(FunctionCounts& to, const FunctionCounts& from) {
  for (const auto& [function, lines] : from) {
    std::vector<LineCount>& sums = to[function];
    if (sums.size() < lines.size()) sums.resize(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) sums[i] += lines[i];
  }
}

}  // namespace heddle::device::sim
