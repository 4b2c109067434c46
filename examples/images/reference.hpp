// The same operations in plain C++, one thread, as simply as they can be said.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "picture.hpp"

namespace images::reference {

struct Settings {
  int gaussian_radius = 6;
  float gaussian_sigma = 2.5f;
  float unsharp_amount = 1.5f;
  int box_radius = 5;
  int edge_level = 96;
  int adaptive_radius = 16, adaptive_percent = 88;
  int bilateral_radius = 4;
  float bilateral_sigma_distance = 3.0f, bilateral_sigma_difference = 24.0f;
};

struct Statistics {
  unsigned long long sum = 0;
  unsigned smallest = 255, largest = 0;
};

// Weights of one side of a Gaussian, centre first; the whole kernel sums to 1.
std::vector<float> gaussian_weights(int radius, float sigma);

Gray gray(const Picture& in);
std::vector<float> gaussian_rows(const Gray& in, const std::vector<float>& weights);
std::vector<float> gaussian_columns(const std::vector<float>& in, int width, int height,
                                    const std::vector<float>& weights);
Gray unsharp(const Gray& in, const std::vector<float>& blurred, float amount);
Picture box_blur(const Picture& in, int radius);
Gray sobel(const Gray& in);
Gray threshold(const Gray& in, int level);
std::array<std::uint32_t, 256> histogram(const Gray& in);
std::array<std::uint8_t, 256> equalisation_table(const std::array<std::uint32_t, 256>& bins, int pixels);
Gray apply_table(const Gray& in, const std::array<std::uint8_t, 256>& table);
Gray transpose(const Gray& in);
Statistics statistics(const Gray& in);
// Inclusive scan of each row.
std::vector<std::uint32_t> scan_rows(const Gray& in);
// Summed-area table, stored transposed: at x * height + y the sum over columns 0..x and rows 0..y.
std::vector<std::uint32_t> summed_area(const Gray& in);
Gray adaptive_threshold(const Gray& in, int radius, int percent);
Gray median(const Gray& in);
Gray bilateral(const Gray& in, int radius, float sigma_distance, float sigma_difference);

}  // namespace images::reference
