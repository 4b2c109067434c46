// What the daemon and one tenant's process share: the tenant's state, its messages, and what it is granted.
#pragma once

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "daemon/ring.hpp"

namespace heddle::daemon {

constexpr std::size_t most_units = 512;
using Units = std::bitset<most_units>;

// Units (processors, or TPCs of a GPU) that a tenant may use, and how much of its work may be in flight.
struct Grant {
  Units units;
  std::uint64_t throttle_ns = 100'000;
  friend bool operator==(const Grant&, const Grant&) = default;
};

// In shared memory of a fixed size: the file behind it is sealed, so that no side can make it shorter. Zeros are a new
// page.
struct Page {
  static constexpr std::size_t unit_words = most_units / 64;
  // The tenant writes.
  alignas(64) std::atomic<std::uint64_t> awake;  // 0: it has no work
  RingMemory events;
  // The daemon writes. An odd sequence: a grant is being written; 0: there was none yet.
  alignas(64) std::atomic<std::uint64_t> sequence;
  std::atomic<std::uint64_t> units[unit_words];
  std::atomic<std::uint64_t> throttle_ns;
  std::atomic<std::uint64_t> beat_ns;  // when the daemon was last there, by the machine's monotonic clock
};

// The daemon's side of a grant.
inline void write_grant(Page& page, const Grant& grant) {
  const std::uint64_t sequence = (page.sequence.load(std::memory_order_relaxed) | 1) + 1;
  page.sequence.store(sequence - 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t word = 0; word < Page::unit_words; ++word)
    page.units[word].store((grant.units >> word * 64 & Units(~std::uint64_t{0})).to_ullong(),
                           std::memory_order_relaxed);
  page.throttle_ns.store(grant.throttle_ns, std::memory_order_relaxed);
  page.sequence.store(sequence, std::memory_order_release);
}

// The tenant's side. Nothing: there is no grant, or one is being written at this moment.
inline std::optional<Grant> read_grant(const Page& page) {
  const std::uint64_t before = page.sequence.load(std::memory_order_acquire);
  if (before == 0 || before % 2 != 0) return std::nullopt;
  Grant grant;
  for (std::size_t word = 0; word < Page::unit_words; ++word)
    grant.units |= Units(page.units[word].load(std::memory_order_relaxed)) << word * 64;
  grant.throttle_ns = page.throttle_ns.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (page.sequence.load(std::memory_order_relaxed) != before) return std::nullopt;
  return grant;
}

// What a tenant tells of a request or a batch of launches that has ended.
struct Ended {
  std::uint64_t ranges = 0;
  double seconds = 0;
};

inline Message encode(const Ended& ended) {
  return {1, ended.ranges, static_cast<std::uint64_t>(ended.seconds * 1e9), 0};
}
// Nothing: no such message, or one with values that cannot be.
inline std::optional<Ended> decode(const Message& message) {
  constexpr std::uint64_t most_ranges = std::uint64_t{1} << 32, day_ns = 86'400'000'000'000;
  if (message[0] != 1 || message[1] > most_ranges || message[2] > day_ns || message[3] != 0) return std::nullopt;
  return Ended{message[1], static_cast<double>(message[2]) * 1e-9};
}

}  // namespace heddle::daemon
