// Sampling once more, written from the formulas of the CUDA C++ Programming Guide alone ("Texture Fetching"): per
// dimension a function from an index to a texel, in double precision, and sums over all corners.
#pragma once

#include <array>
#include <vector>

#include "heddle/texture.hpp"

namespace heddle::tests {

// An image of real numbers, one channel, and its layers or its depth.
struct PlainImage {
  int width = 1, height = 1, depth = 1;
  std::vector<double> values;
  double at(int x, int y, int z) const { return values[static_cast<std::size_t>((z * height + y) * width + x)]; }
};

// tex1D, tex2D, tex3D by the number of dimensions; `layer` is what the third index is in one and two dimensions.
double reference_sample(const PlainImage& image, int dimensions, const std::array<double, 3>& at, int layer,
                        const Sampler& sampler);

}  // namespace heddle::tests
