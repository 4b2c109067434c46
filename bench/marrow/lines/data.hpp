// Inputs and check sums of the programs whose lines are counted: the same for both, and counted in neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace data {

constexpr int width = 512, height = 384;                 // of the image
constexpr std::size_t transforms = 512, together = 128;  // of 512 complex numbers; 512 KB may not be separated
constexpr std::size_t bodies = 2048, steps = 3;
constexpr std::size_t saxpy = 1'000'000;
constexpr std::size_t slice = 256 * 64, slices = 48;  // of the volume

inline float number(std::size_t i) { return static_cast<float>(i * 2654435761U % 1021U) / 1021.0f; }
inline unsigned char voxel(std::size_t i) { return static_cast<unsigned char>(i * 2654435761U % 251U); }

// Numbers in [0, 1), and 0 beyond `count` where bodies rest at first.
template <typename T>
void fill(T* to, std::size_t count) {
  auto* const numbers = reinterpret_cast<float*>(to);
  for (std::size_t i = 0; i < count * sizeof(T) / sizeof(float); ++i) numbers[i] = number(i);
}
inline void fill(unsigned char* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = voxel(i);
}

// Prints the sum, weighted by place.
template <typename T>
void print_sum(const T* from, std::size_t count) {
  const auto* const numbers = reinterpret_cast<const float*>(from);
  double sum = 0;
  for (std::size_t i = 0; i < count * sizeof(T) / sizeof(float); ++i)
    sum += numbers[i] * static_cast<double>(i % 7 + 1);
  std::printf("%.6g\n", sum);
}
inline void print_sum(const unsigned char* from, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += from[i] * static_cast<double>(i % 7 + 1);
  std::printf("%.6g\n", sum);
}

}  // namespace data
