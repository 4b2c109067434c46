// A memory of fixed latency and unlimited bandwidth: what a pipeline could do if memory did not limit it.
#pragma once

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/memory_port.hpp"

namespace heddle::device::sim {

// Shared memory answers after shared.latency, constants after constant.latency, everything else after l1.latency.
class IdealMemory final : public MemoryPort {
 public:
  explicit IdealMemory(const MachineDescription& machine)
      : shared_(machine.shared.latency), constant_(machine.constant.latency), other_(machine.l1.latency) {}
  Admission access(Cycle now, const WarpAccess& access, AccessTag) override {
    switch (access.space) {
      case MemorySpace::shared: return {MemoryStall::none, now + shared_};
      case MemorySpace::constant: return {MemoryStall::none, now + constant_};
      default: return {MemoryStall::none, now + other_};
    }
  }
  void advance(Cycle) override {}
  Cycle next_event() const override { return never; }
  std::span<const Completion> completions() const override { return {}; }
  void clear_completions() override {}
  void invalidate(Cycle) override {}
  unsigned in_flight() const override { return 0; }

 private:
  Cycle shared_, constant_, other_;
};

}  // namespace heddle::device::sim
