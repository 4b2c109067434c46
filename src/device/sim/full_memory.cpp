// The memory system of memory/ behind the ports of the SMs.
#include <vector>

#include "device/sim/memory/memory_system.hpp"
#include "device/sim/memory_model.hpp"

namespace heddle::device::sim {
namespace {

class FullPort final : public MemoryPort {
 public:
  explicit FullPort(SmMemory& memory) : memory_(memory) {}
  Admission access(Cycle now, const WarpAccess& access, AccessTag tag) override {
    return memory_.access(now, access, tag);
  }
  void advance(Cycle now) override { memory_.advance(now); }
  Cycle next_event() const override { return memory_.next_event(); }
  std::span<const Completion> completions() const override { return memory_.completions(); }
  void clear_completions() override { memory_.clear_completions(); }
  void invalidate(Cycle now) override { memory_.invalidate(now); }
  unsigned in_flight() const override { return memory_.in_flight(); }

 private:
  SmMemory& memory_;
};

class FullModel final : public MemoryModel {
 public:
  explicit FullModel(const MachineDescription& machine) : system_(machine) {
    for (unsigned i = 0; i < machine.sms; ++i) ports_.emplace_back(system_.sm(i));
  }
  MemoryPort& sm(unsigned index) override { return ports_[index]; }
  Cycle longest_epoch() const override { return system_.longest_epoch(); }
  void exchange(Cycle end) override { system_.exchange(end); }
  bool idle() const override { return system_.idle(); }
  MemoryCounters counters() const override { return system_.counters(); }
  void reset_counters() override { system_.reset_counters(); }

 private:
  MemorySystem system_;
  std::vector<FullPort> ports_;
};

}  // namespace

std::unique_ptr<MemoryModel> make_full_memory(const MachineDescription& machine) {
  return std::make_unique<FullModel>(machine);
}

}  // namespace heddle::device::sim
