// What the daemon and one tenant's process share: the tenant's state, its messages, and what it is granted.
#pragma once

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "daemon/latency.hpp"
#include "daemon/ring.hpp"

namespace heddle::daemon {

constexpr std::size_t most_units = 512;
using Units = std::bitset<most_units>;

// Units (processors, or TPCs of a GPU) that a tenant may use, and how.
struct Grant {
  Units units;
  std::uint32_t of_units = 0;           // units of the node's device; 0: not said
  std::uint32_t own_units = 0;          // of its quota, which nobody else has; 0: it has none, or there are no quotas
  std::uint64_t throttle_ns = 100'000;  // of its work that may be in flight; 0: launches go out at once and whole
  bool priority = true;                 // a latency tenant's work goes before that of others, where devices can do that
  friend bool operator==(const Grant&, const Grant&) = default;
};

// In shared memory of a fixed size: the file behind it is sealed, so that no side can make it shorter. Zeros are a new
// page.
struct Page {
  static constexpr std::size_t unit_words = most_units / 64;
  // The tenant writes.
  alignas(64) std::atomic<std::uint64_t> awake;  // 0: it has no work
  std::atomic<std::uint64_t> held, in_flight;    // launches that are not submitted, and ranges that are
  std::atomic<std::uint64_t> lost;               // messages for which the ring had no room
  // Of one whose launches go whole, to any units (interpose/gate.hpp): 1, and its Progress (daemon/feedback.hpp).
  std::atomic<std::uint64_t> whole, launches, busy_ns, device_ns;
  // Launches that have ended, by the time since they were made (daemon/latency.hpp).
  alignas(64) std::atomic<std::uint64_t> latencies[latency_buckets];
  RingMemory events;
  // The daemon writes. An odd sequence: a grant is being written; 0: there was none yet.
  alignas(64) std::atomic<std::uint64_t> sequence;
  std::atomic<std::uint64_t> units[unit_words];
  std::atomic<std::uint64_t> of_units, own_units, throttle_ns, priority;
  // The tenant's settings as they are now, so that the next daemon hears of them. settings 0: not written yet.
  std::atomic<std::uint64_t> settings, quota_bits, tenant_class;
  std::atomic<std::uint64_t> beat_ns;  // when the daemon was last there, by the machine's monotonic clock
};

// The daemon's side of a grant.
inline void write_grant(Page& page, const Grant& grant) {
  const std::uint64_t sequence = (page.sequence.load(std::memory_order_relaxed) | 1) + 1;
  page.sequence.store(sequence - 1, std::memory_order_relaxed);
  // A reader that sees one of these values sees the odd sequence too.
  for (std::size_t word = 0; word < Page::unit_words; ++word)
    page.units[word].store((grant.units >> word * 64 & Units(~std::uint64_t{0})).to_ullong(),
                           std::memory_order_release);
  page.of_units.store(grant.of_units, std::memory_order_release);
  page.own_units.store(grant.own_units, std::memory_order_release);
  page.throttle_ns.store(grant.throttle_ns, std::memory_order_release);
  page.priority.store(grant.priority ? 1 : 0, std::memory_order_release);
  page.sequence.store(sequence, std::memory_order_release);
}

// The tenant's side. Nothing: there is no grant, or one is being written at this moment.
inline std::optional<Grant> read_grant(const Page& page) {
  const std::uint64_t before = page.sequence.load(std::memory_order_acquire);
  if (before == 0 || before % 2 != 0) return std::nullopt;
  Grant grant;
  for (std::size_t word = 0; word < Page::unit_words; ++word)
    grant.units |= Units(page.units[word].load(std::memory_order_acquire)) << word * 64;
  grant.of_units = static_cast<std::uint32_t>(page.of_units.load(std::memory_order_acquire));
  grant.own_units = static_cast<std::uint32_t>(page.own_units.load(std::memory_order_acquire));
  grant.throttle_ns = page.throttle_ns.load(std::memory_order_acquire);
  grant.priority = page.priority.load(std::memory_order_acquire) != 0;
  if (page.sequence.load(std::memory_order_relaxed) != before) return std::nullopt;
  return grant;
}

}  // namespace heddle::daemon
