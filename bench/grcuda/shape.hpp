// How the benchmarks' kernels are launched: the number of blocks is fixed for a device, kernels go through their data
// in strides of the grid.
#pragma once

#include <cmath>

#include "heddle/dim3.hpp"
#include "heddle/launch.hpp"

namespace heddle::bench::grcuda {

struct Grid {
  Dim3 blocks, threads;
  LaunchOptions options() const { return {.grid = blocks, .block = threads}; }
};

// Of one, two and three dimensions. Blocks of two and three are 8 x 8 and 4 x 4 x 4, as in the paper.
struct Shape {
  Grid line, plane, space;

  Shape(unsigned blocks, unsigned threads) {
    line = {{blocks}, {threads}};
    const auto side = static_cast<unsigned>(std::sqrt(blocks));
    plane = {{side, side}, {8, 8}};
    // Two layers of four are enough for the eight channels of DL's large pictures.
    const auto half = static_cast<unsigned>(std::sqrt(blocks / 2.0));
    space = {{half > 0 ? half : 1, half > 0 ? half : 1, 2}, {4, 4, 4}};
  }
};

}  // namespace heddle::bench::grcuda
