#include "texture/reference.hpp"

#include <cmath>

namespace heddle::tests {
namespace {

// Where the guide says a coordinate goes before it is looked at, in texels. Mirrored is the row, not the coordinate:
// GPUs differ from the guide's formula on the borders between texels.
double prepared(double x, int size, AddressMode mode, bool normalized) {
  if (!normalized) return x;
  return mode == AddressMode::wrap ? size * (x - std::floor(x)) : size * x;
}

// Texel `i` of a row that goes on for ever; -1: the border.
int in_row(long long i, int size, AddressMode mode, bool normalized) {
  if (mode == AddressMode::border) return i < 0 || i >= size ? -1 : static_cast<int>(i);
  if (mode == AddressMode::wrap && normalized) {
    while (i < 0) i += size;
    while (i >= size) i -= size;
    return static_cast<int>(i);
  }
  while (mode == AddressMode::mirror && normalized && (i < 0 || i >= size)) i = i < 0 ? -1 - i : 2 * size - 1 - i;
  return static_cast<int>(i < 0 ? 0 : i >= size ? size - 1 : i);
}

}  // namespace

double reference_sample(const PlainImage& image, int dimensions, const std::array<double, 3>& at, int layer,
                        const Sampler& sampler) {
  const int sizes[3] = {image.width, image.height, image.depth};
  long long first[3] = {0, 0, 0};
  double alpha[3] = {0, 0, 0};
  for (int d = 0; d < dimensions; ++d) {
    const double x = prepared(at[static_cast<std::size_t>(d)], sizes[d], sampler.address[static_cast<std::size_t>(d)],
                              sampler.normalized_coordinates);
    if (sampler.filter == TexelFilter::point) {
      first[d] = static_cast<long long>(std::floor(x));
      continue;
    }
    const double xb = x - 0.5;
    first[d] = static_cast<long long>(std::floor(xb));
    alpha[d] = std::floor((xb - std::floor(xb)) * 256 + 0.5) / 256;  // 1.8 fixed point
  }
  double sum = 0;
  for (int c = 0; c < 1 << dimensions; ++c) {
    double weight = 1;
    int index[3] = {0, 0, layer};
    bool border = false;
    for (int d = 0; d < dimensions; ++d) {
      const int side = c >> d & 1;
      weight *= side == 1 ? alpha[d] : 1 - alpha[d];
      index[d] = in_row(first[d] + side, sizes[d], sampler.address[static_cast<std::size_t>(d)],
                        sampler.normalized_coordinates);
      border = border || index[d] < 0;
    }
    if (weight == 0) continue;
    sum += weight * (border ? static_cast<double>(sampler.border[0]) : image.at(index[0], index[1], index[2]));
  }
  return sum;
}

}  // namespace heddle::tests
