// Drives a memory system as an SM's pipeline would, cycle by cycle, one epoch after the other.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "device/sim/machine_file/reader.hpp"
#include "device/sim/memory/memory_system.hpp"

namespace heddle::device::sim {

inline WarpAccess warp_access(MemorySpace space, MemoryOperation operation, unsigned bytes, std::uint32_t mask,
                              const std::function<std::uint64_t(unsigned)>& address) {
  WarpAccess access;
  access.space = space;
  access.operation = operation;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.mask = mask;
  for (unsigned lane = 0; lane < 32; ++lane) access.address[lane] = address(lane);
  return access;
}
// Lane i at address + i * stride.
inline WarpAccess strided(MemoryOperation operation, std::uint64_t address, std::uint64_t stride, unsigned bytes = 4,
                          MemorySpace space = MemorySpace::global) {
  return warp_access(space, operation, bytes, ~0u, [&](unsigned lane) { return address + lane * stride; });
}
inline WarpAccess load(std::uint64_t address) { return strided(MemoryOperation::load, address, 4); }
inline WarpAccess store(std::uint64_t address) { return strided(MemoryOperation::store, address, 4); }

class Driver {
 public:
  explicit Driver(const MachineDescription& machine) : machine(machine), memory(machine) {}

  // Called in every cycle of every SM, after its completions have been put into `done`.
  using Tick = std::function<void(unsigned sm, Cycle now)>;
  // Epochs until `finished`, which is asked between them. False: not within `limit` cycles.
  bool run(const Tick& tick, const std::function<bool()>& finished, Cycle limit = 10'000'000) {
    const Cycle last = begin_ + limit;
    while (!finished() && begin_ < last) {
      const Cycle end = begin_ + epoch();
      for (unsigned sm = 0; sm < machine.sms; ++sm) run_epoch(sm, end, tick);
      memory.exchange(end);
      begin_ = end;
    }
    return finished();
  }
  void run_epoch(unsigned sm, Cycle end, const Tick& tick) {
    SmMemory& own = memory.sm(sm);
    for (Cycle now = begin_; now < end; ++now) {
      if (own.next_event() <= now) own.advance(now);
      take(sm);
      tick(sm, now);
    }
  }
  void take(unsigned sm) {
    SmMemory& own = memory.sm(sm);
    for (const Completion& completion : own.completions()) done[{sm, completion.tag}] = completion.ready;
    own.clear_completions();
  }
  // What an access returned.
  void note(unsigned sm, AccessTag tag, const Admission& answer) {
    if (answer.accepted() && answer.ready != never) done[{sm, tag}] = answer.ready;
  }

  // Issues the access in the next cycle of SM 0; from there to its completion.
  Cycle latency(const WarpAccess& access, unsigned sm = 0) {
    const AccessTag tag = ++tag_;
    Cycle issued = never;
    run(
        [&](unsigned of, Cycle now) {
          if (of != sm || issued != never) return;
          const Admission answer = memory.sm(sm).access(now, access, tag);
          if (!answer.accepted()) return;
          issued = now;
          note(sm, tag, answer);
        },
        [&] { return done.count({sm, tag}) != 0; });
    // The pipeline is empty before the next one.
    run([](unsigned, Cycle) {}, [&] { return memory.idle(); });
    return done[{sm, tag}] - issued;
  }

  Cycle epoch() const { return epoch_limit != 0 ? epoch_limit : memory.longest_epoch(); }
  Cycle now() const { return begin_; }

  MachineDescription machine;
  MemorySystem memory;
  Cycle epoch_limit = 0;  // 0: the longest
  std::map<std::pair<unsigned, AccessTag>, Cycle> done;

 private:
  Cycle begin_ = 0;
  AccessTag tag_ = 1'000'000;
};

}  // namespace heddle::device::sim
