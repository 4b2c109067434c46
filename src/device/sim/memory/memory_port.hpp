// The memory of an SM as its pipeline sees it: an access goes in at a cycle, its completion comes back at a cycle.
#pragma once

#include <span>

#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

// SmMemory, the model, has the contract of these functions (sm_memory.hpp).
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  virtual Admission access(Cycle now, const WarpAccess& access, AccessTag tag) = 0;
  virtual void advance(Cycle now) = 0;
  virtual Cycle next_event() const = 0;
  virtual std::span<const Completion> completions() const = 0;
  virtual void clear_completions() = 0;
  virtual void invalidate(Cycle now) = 0;
  // The first cycle in which the port of the shared memory has nothing to do.
  virtual Cycle shared_free() const { return 0; }
  // By scheduler: passes of the ports beyond the first of an access, since clear_replays(). Of the L1's port those that
  // have been, of others those of the accesses that it has taken. Without a span the memory has no conflicts.
  virtual std::span<const std::uint32_t> replays() const { return {}; }
  virtual void clear_replays() {}
  // Accesses that have not completed.
  virtual unsigned in_flight() const = 0;
};

}  // namespace heddle::device::sim
