// Latencies in buckets, four to each doubling from a microsecond on: quantiles are within 20 %.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle::daemon {

constexpr std::size_t latency_buckets = 128;
using LatencyCounts = std::array<std::uint64_t, latency_buckets>;

// The first bucket is for less than a microsecond, the last one for all from 2^31.5 us on.
inline std::size_t latency_bucket(std::uint64_t ns) {
  const std::uint64_t us = ns / 1000;
  if (us == 0) return 0;
  const auto octave = static_cast<std::size_t>(std::bit_width(us) - 1);
  const std::size_t quarter = octave < 2 ? (us << 2 >> octave) & 3 : us >> (octave - 2) & 3;
  return std::min(1 + octave * 4 + quarter, latency_buckets - 1);
}
// The upper end of a bucket, in nanoseconds.
inline double latency_of_bucket(std::size_t bucket) {
  if (bucket == 0) return 1e3;
  const std::size_t octave = (bucket - 1) / 4, quarter = (bucket - 1) % 4;
  return std::ldexp(1 + static_cast<double>(quarter + 1) / 4, static_cast<int>(octave)) * 1e3;
}

// In nanoseconds; nothing: no launch has ended. `part`: 0.99 for P99. Counts that cannot be do not count.
inline std::optional<double> latency_quantile(const LatencyCounts& counts, double part) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  std::uint64_t all = 0, seen = 0;
  for (const std::uint64_t count : counts) all += count <= most ? count : 0;
  if (all == 0) return std::nullopt;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(all)));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i] <= most ? counts[i] : 0;
    if (seen >= wanted) return latency_of_bucket(i);
  }
  return latency_of_bucket(counts.size() - 1);
}

}  // namespace heddle::daemon
