// What the paper reports, read off its figures (within 0.05).
#pragma once

#include <optional>
#include <span>
#include <string>

namespace heddle::bench::grcuda {

struct Range {
  double low = 0, high = 0;
  double middle() const { return (low + high) / 2; }
};
struct Overlaps {
  double ct = 0, tc = 0, cc = 0, tot = 0;  // per cent
};

// One benchmark on the paper's three GPUs.
struct Paper {
  const char* name;
  Range gtx960, gtx1660, p100;                     // figure 7: over serial, for all sizes
  Range graphs_p100;                               // figure 8: over CUDA graphs
  Overlaps overlaps_p100;                          // figure 11
  double bound_gtx960, bound_gtx1660, bound_p100;  // figure 9: of the contention-free bound
};
std::span<const Paper> paper();

// Geometric means over serial, from the text; that of the GTX 1660 is not given.
inline constexpr double mean_gtx960 = 1.25, mean_p100 = 1.61, mean_all = 1.44;

}  // namespace heddle::bench::grcuda
