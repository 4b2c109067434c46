// What the memory system counted. All counts are since the start of the simulation or the last reset().
#pragma once

#include <array>
#include <cstdint>

#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

struct CacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;        // that sent a request on
  std::uint64_t pending_hits = 0;  // misses of data that had been asked for already
  std::uint64_t evictions = 0, write_backs = 0;
  CacheCounters& operator+=(const CacheCounters& other);
  bool operator==(const CacheCounters&) const = default;
  // Misses of all accesses, with pending hits counted as misses or not (Dynamic Warp Formation, tables III and IV).
  double miss_rate(bool pending_are_misses) const;
};

// Of one SM.
struct SmMemoryCounters {
  std::uint64_t global_accesses = 0, local_accesses = 0, shared_accesses = 0, constant_accesses = 0;  // of warps
  std::uint64_t atomic_accesses = 0;                         // global, contained in global_accesses
  std::uint64_t transactions = 0;                            // of global and local accesses
  std::uint64_t transaction_bytes = 0;                       // that these moved
  std::uint64_t useful_bytes = 0;                            // that the lanes asked for
  std::uint64_t shared_passes = 0, shared_least_passes = 0;  // with conflicts, and without
  std::uint64_t constant_passes = 0;                         // words of constant accesses, one by one
  CacheCounters l1, constant;
  std::uint64_t mshr_cycles = 0;                            // MSHRs in use, added up over all cycles
  std::uint64_t mshr_most = 0;                              // most in use at a time
  std::array<std::uint64_t, memory_stalls> stall_cycles{};  // of the load/store unit's head, by reason
  std::array<std::uint64_t, memory_stalls> refused{};       // accesses, by reason
  std::uint64_t sent_bytes = 0, received_bytes = 0;         // through the crossbar, headers included
  SmMemoryCounters& operator+=(const SmMemoryCounters& other);
  bool operator==(const SmMemoryCounters&) const = default;
  double transactions_per_access() const;
};

// Of one L2 slice, and of one DRAM channel.
struct L2Counters {
  CacheCounters cache;
  std::uint64_t reads = 0, writes = 0, atomics = 0;  // requests; of atomics the operations of threads
  std::uint64_t bytes = 0;                           // through its port
  std::uint64_t blocked_ticks = 0;                   // waited for an MSHR or for DRAM's queue
  L2Counters& operator+=(const L2Counters& other);
  bool operator==(const L2Counters&) const = default;
};
struct DramCounters {
  std::uint64_t reads = 0, writes = 0;  // requests
  std::uint64_t bytes = 0;
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;  // row open; no row open; another row open
  std::uint64_t refreshes = 0;
  std::uint64_t busy_ticks = 0;  // of the data bus, in 1/1024 of a cycle
  DramCounters& operator+=(const DramCounters& other);
  bool operator==(const DramCounters&) const = default;
  double row_hit_rate() const;
};

// Of all.
struct MemoryCounters {
  SmMemoryCounters sm;
  L2Counters l2;
  DramCounters dram;
  Cycle cycles = 0;                 // simulated
  unsigned sms = 0, channels = 0;   // whose counts these are
  unsigned mshrs = 0;               // of one SM
  double dram_utilisation() const;  // part of the time in which the data buses were used
  double mshr_utilisation() const;  // part of the MSHRs in use, on average
  bool operator==(const MemoryCounters&) const = default;
};

}  // namespace heddle::device::sim
