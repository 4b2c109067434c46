// The work of one task, as plain loops that the compiler vectorizes.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "contender.hpp"

namespace heddle::bench::marrow {

inline void saxpy_loop(float a, const float* __restrict x, float* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

// Factors of a transform of 512 points, by the number of points that are done and the place among them.
struct Twiddles {
  std::array<Complex, 512> of{};
  explicit Twiddles(float direction) {
    for (std::size_t done = 1; done < 512; done *= 2)
      for (std::size_t inner = 0; inner < done; ++inner) {
        const double angle = direction * std::numbers::pi * static_cast<double>(inner) / static_cast<double>(done);
        of[done + inner] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
      }
  }
};

// Stockham's form of radix 2, as the kernel of the other side.
inline void fft_loop(Complex* signal, std::size_t transforms, const Twiddles& twiddles, float scale) {
  std::array<Complex, 512> a, b;
  for (std::size_t k = 0; k < transforms; ++k, signal += 512) {
    Complex *from = a.data(), *to = b.data();
    for (std::size_t i = 0; i < 512; ++i) from[i] = signal[i];
    for (std::size_t done = 1; done < 512; done *= 2) {
      for (std::size_t first = 0; first < 256; first += done)
        for (std::size_t inner = 0; inner < done; ++inner) {
          const Complex u = from[first + inner], v = from[first + inner + 256], factor = twiddles.of[done + inner];
          const Complex w{v.re * factor.re - v.im * factor.im, v.re * factor.im + v.im * factor.re};
          to[2 * first + inner] = {u.re + w.re, u.im + w.im};
          to[2 * first + inner + done] = {u.re - w.re, u.im - w.im};
        }
      std::swap(from, to);
    }
    for (std::size_t i = 0; i < 512; ++i) signal[i] = {scale * from[i].re, scale * from[i].im};
  }
}

struct Sums {
  std::array<unsigned, 64> bins{};
  double dot = 0;
};
inline void histogram_loop(const float* x, const float* y, std::size_t n, Sums& to) {
  double dot = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ++to.bins[static_cast<unsigned>(x[i] * 63.0f) & 63U];
    dot += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
  to.dot += dot;
}

}  // namespace heddle::bench::marrow
