#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace images::reference {
namespace {

std::uint8_t to_byte(float v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0f, 255.0f) + 0.5f); }

// The pixel, or the nearest one of the picture.
template <typename Pixel>
const Pixel& near(const Raster<Pixel>& in, int x, int y) {
  return in.at(std::clamp(x, 0, in.width - 1), std::clamp(y, 0, in.height - 1));
}

// Calls f(x, y) for each pixel and gathers what it returns.
template <typename Function>
Gray each_pixel(int width, int height, Function f) {
  Gray out(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) out.at(x, y) = f(x, y);
  }
  return out;
}

}  // namespace

std::vector<float> gaussian_weights(int radius, float sigma) {
  std::vector<float> weights;
  float sum = 0;
  for (int k = 0; k <= radius; ++k) {
    weights.push_back(std::exp(-static_cast<float>(k * k) / (2 * sigma * sigma)));
    sum += k == 0 ? weights.back() : 2 * weights.back();
  }
  for (float& weight : weights) weight /= sum;
  return weights;
}

Gray gray(const Picture& in) {
  return each_pixel(in.width, in.height, [&](int x, int y) {
    const Rgba& p = in.at(x, y);
    return static_cast<std::uint8_t>((77 * p.r + 150 * p.g + 29 * p.b + 128) >> 8);
  });
}

std::vector<float> gaussian_rows(const Gray& in, const std::vector<float>& weights) {
  std::vector<float> out(in.pixels.size());
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) {
      float sum = weights[0] * in.at(x, y);
      for (int k = 1; k < static_cast<int>(weights.size()); ++k) {
        sum += weights[k] * static_cast<float>(near(in, x - k, y) + near(in, x + k, y));
      }
      out[static_cast<std::size_t>(y) * in.width + x] = sum;
    }
  }
  return out;
}

std::vector<float> gaussian_columns(const std::vector<float>& in, int width, int height,
                                    const std::vector<float>& weights) {
  const auto at = [&](int x, int y) { return in[static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * width + x]; };
  std::vector<float> out(in.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = weights[0] * at(x, y);
      for (int k = 1; k < static_cast<int>(weights.size()); ++k) sum += weights[k] * (at(x, y - k) + at(x, y + k));
      out[static_cast<std::size_t>(y) * width + x] = sum;
    }
  }
  return out;
}

Gray unsharp(const Gray& in, const std::vector<float>& blurred, float amount) {
  return each_pixel(in.width, in.height, [&](int x, int y) {
    const float v = in.at(x, y);
    return to_byte(v + amount * (v - blurred[static_cast<std::size_t>(y) * in.width + x]));
  });
}

Picture box_blur(const Picture& in, int radius) {
  Picture out(in.width, in.height);
  const int count = (2 * radius + 1) * (2 * radius + 1), half = count / 2;
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) {
      int red = 0, green = 0, blue = 0;
      for (int dy = -radius; dy <= radius; ++dy) {
        for (int dx = -radius; dx <= radius; ++dx) {
          const Rgba& p = near(in, x + dx, y + dy);
          red += p.r;
          green += p.g;
          blue += p.b;
        }
      }
      const auto mean = [&](int sum) { return static_cast<std::uint8_t>((sum + half) / count); };
      out.at(x, y) = {mean(red), mean(green), mean(blue), 255};
    }
  }
  return out;
}

Gray sobel(const Gray& in) {
  return each_pixel(in.width, in.height, [&](int x, int y) {
    const auto p = [&](int dx, int dy) { return static_cast<int>(near(in, x + dx, y + dy)); };
    const int gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
    const int gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
    return static_cast<std::uint8_t>(std::min(255, std::abs(gx) + std::abs(gy)));
  });
}

Gray threshold(const Gray& in, int level) {
  return each_pixel(in.width, in.height,
                    [&](int x, int y) { return static_cast<std::uint8_t>(in.at(x, y) >= level ? 255 : 0); });
}

std::array<std::uint32_t, 256> histogram(const Gray& in) {
  std::array<std::uint32_t, 256> bins{};
  for (const std::uint8_t v : in.pixels) ++bins[v];
  return bins;
}

std::array<std::uint8_t, 256> equalisation_table(const std::array<std::uint32_t, 256>& bins, int pixels) {
  std::array<std::uint8_t, 256> table{};
  const auto first = std::find_if(bins.begin(), bins.end(), [](std::uint32_t bin) { return bin != 0; });
  const std::uint32_t darkest = first == bins.end() ? 0 : *first;
  const std::uint32_t range = static_cast<std::uint32_t>(pixels) - darkest;
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < 256; ++i) {
    sum += bins[i];
    const std::uint64_t above = sum > darkest ? sum - darkest : 0;
    table[i] = static_cast<std::uint8_t>(range == 0 ? i : (255 * above + range / 2) / range);
  }
  return table;
}

Gray apply_table(const Gray& in, const std::array<std::uint8_t, 256>& table) {
  return each_pixel(in.width, in.height, [&](int x, int y) { return table[in.at(x, y)]; });
}

Gray transpose(const Gray& in) {
  return each_pixel(in.height, in.width, [&](int x, int y) { return in.at(y, x); });
}

Statistics statistics(const Gray& in) {
  Statistics result;
  for (const std::uint8_t v : in.pixels) {
    result.sum += v;
    result.smallest = std::min<unsigned>(result.smallest, v);
    result.largest = std::max<unsigned>(result.largest, v);
  }
  return result;
}

std::vector<std::uint32_t> scan_rows(const Gray& in) {
  std::vector<std::uint32_t> out(in.pixels.size());
  for (int y = 0; y < in.height; ++y) {
    std::uint32_t sum = 0;
    for (int x = 0; x < in.width; ++x) out[static_cast<std::size_t>(y) * in.width + x] = sum += in.at(x, y);
  }
  return out;
}

std::vector<std::uint32_t> summed_area(const Gray& in) {
  const std::vector<std::uint32_t> rows = scan_rows(in);
  std::vector<std::uint32_t> out(rows.size());
  for (int x = 0; x < in.width; ++x) {
    std::uint32_t sum = 0;
    for (int y = 0; y < in.height; ++y) {
      out[static_cast<std::size_t>(x) * in.height + y] = sum += rows[static_cast<std::size_t>(y) * in.width + x];
    }
  }
  return out;
}

Gray adaptive_threshold(const Gray& in, int radius, int percent) {
  return each_pixel(in.width, in.height, [&](int x, int y) {
    std::uint32_t sum = 0, count = 0;
    for (int v = std::max(y - radius, 0); v <= std::min(y + radius, in.height - 1); ++v) {
      for (int u = std::max(x - radius, 0); u <= std::min(x + radius, in.width - 1); ++u) {
        sum += in.at(u, v);
        ++count;
      }
    }
    return static_cast<std::uint8_t>(in.at(x, y) * count * 100u < sum * static_cast<std::uint32_t>(percent) ? 0 : 255);
  });
}

Gray median(const Gray& in) {
  return each_pixel(in.width, in.height, [&](int x, int y) {
    std::array<std::uint8_t, 9> v;
    for (int i = 0; i < 9; ++i) v[i] = near(in, x + i % 3 - 1, y + i / 3 - 1);
    std::nth_element(v.begin(), v.begin() + 4, v.end());
    return v[4];
  });
}

Gray bilateral(const Gray& in, int radius, float sigma_distance, float sigma_difference) {
  const float per_distance = 1 / (2 * sigma_distance * sigma_distance);
  const float per_difference = 1 / (2 * sigma_difference * sigma_difference);
  return each_pixel(in.width, in.height, [&](int x, int y) {
    const float centre = in.at(x, y);
    float sum = 0, weights = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
      for (int dx = -radius; dx <= radius; ++dx) {
        const float value = near(in, x + dx, y + dy), difference = value - centre;
        const float weight =
            std::exp(-static_cast<float>(dx * dx + dy * dy) * per_distance - difference * difference * per_difference);
        sum += weight * value;
        weights += weight;
      }
    }
    return to_byte(sum / weights);
  });
}

}  // namespace images::reference
