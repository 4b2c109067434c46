// The host's part of a benchmark: filling gigabytes and computing references with all cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::bench::grcuda {

// Calls f(begin, end) for parts of [0, count), at the same time.
template <class F>
void parallel_for(std::size_t count, F&& f) {
  constexpr std::size_t least = 1 << 14;  // so many are not worth a thread
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / least, 1, cores);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < parts; ++i)
    threads.emplace_back([&f, begin = count * i / parts, end = count * (i + 1) / parts] { f(begin, end); });
  f(0, count / parts);
  for (std::thread& thread : threads) thread.join();
}

// The sum of f(begin, end) over such parts.
template <class T, class F>
T parallel_sum(std::size_t count, F&& f) {
  std::mutex mutex;
  T sum{};
  parallel_for(count, [&](std::size_t begin, std::size_t end) {
    const T own = f(begin, end);
    const std::lock_guard lock(mutex);
    sum += own;
  });
  return sum;
}

// A number for each place, without pattern and the same every time.
inline std::uint32_t scramble(std::uint64_t place, std::uint32_t seed) {
  std::uint64_t x = (place + 1) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
  x = (x ^ (x >> 32)) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::uint32_t>(x >> 32);
}
// From 0 to 1, without 1.
inline float uniform(std::uint64_t place, std::uint32_t seed) {
  return static_cast<float>(scramble(place, seed) >> 8) * 0x1p-24f;
}

}  // namespace heddle::bench::grcuda
