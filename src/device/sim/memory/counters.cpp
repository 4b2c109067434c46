#include "device/sim/memory/counters.hpp"

#include <algorithm>

#include "device/sim/memory/ticks.hpp"

namespace heddle::device::sim {
namespace {

double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

}  // namespace

const char* name(MemoryStall stall) {
  constexpr const char* names[memory_stalls] = {"none",        "busy",         "mshrs full",
                                                "merges full", "set reserved", "stores full"};
  return names[static_cast<unsigned>(stall)];
}

CacheCounters& CacheCounters::operator+=(const CacheCounters& other) {
  hits += other.hits;
  misses += other.misses;
  pending_hits += other.pending_hits;
  evictions += other.evictions;
  write_backs += other.write_backs;
  return *this;
}

double CacheCounters::miss_rate(bool pending_are_misses) const {
  return part(misses + (pending_are_misses ? pending_hits : 0), hits + misses + pending_hits);
}

SmMemoryCounters& SmMemoryCounters::operator+=(const SmMemoryCounters& other) {
  global_accesses += other.global_accesses;
  local_accesses += other.local_accesses;
  shared_accesses += other.shared_accesses;
  constant_accesses += other.constant_accesses;
  atomic_accesses += other.atomic_accesses;
  transactions += other.transactions;
  transaction_bytes += other.transaction_bytes;
  useful_bytes += other.useful_bytes;
  shared_passes += other.shared_passes;
  shared_least_passes += other.shared_least_passes;
  constant_passes += other.constant_passes;
  l1 += other.l1;
  constant += other.constant;
  mshr_cycles += other.mshr_cycles;
  mshr_most = std::max(mshr_most, other.mshr_most);
  for (unsigned i = 0; i < memory_stalls; ++i) {
    stall_cycles[i] += other.stall_cycles[i];
    refused[i] += other.refused[i];
  }
  sent_bytes += other.sent_bytes;
  received_bytes += other.received_bytes;
  return *this;
}

double SmMemoryCounters::transactions_per_access() const {
  return part(transactions, global_accesses + local_accesses);
}

L2Counters& L2Counters::operator+=(const L2Counters& other) {
  cache += other.cache;
  reads += other.reads;
  writes += other.writes;
  atomics += other.atomics;
  bytes += other.bytes;
  blocked_ticks += other.blocked_ticks;
  return *this;
}

DramCounters& DramCounters::operator+=(const DramCounters& other) {
  reads += other.reads;
  writes += other.writes;
  bytes += other.bytes;
  row_hits += other.row_hits;
  row_misses += other.row_misses;
  row_conflicts += other.row_conflicts;
  refreshes += other.refreshes;
  busy_ticks += other.busy_ticks;
  return *this;
}

double DramCounters::row_hit_rate() const { return part(row_hits, row_hits + row_misses + row_conflicts); }

double MemoryCounters::dram_utilisation() const { return part(dram.busy_ticks, ticks(cycles) * channels); }

double MemoryCounters::mshr_utilisation() const { return part(sm.mshr_cycles, cycles * sms * mshrs); }

}  // namespace heddle::device::sim
