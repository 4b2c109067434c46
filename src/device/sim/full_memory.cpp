// The memory system of memory/ behind the ports of the SMs.
#include "device/sim/memory/memory_system.hpp"
#include "device/sim/memory_model.hpp"

namespace heddle::device::sim {
namespace {

class FullModel final : public MemoryModel {
 public:
  explicit FullModel(const MachineDescription& machine) : system_(machine) {}
  MemoryPort& sm(unsigned index) override { return system_.sm(index); }
  Cycle longest_epoch() const override { return system_.longest_epoch(); }
  void exchange(Cycle end) override { system_.exchange(end); }
  bool idle() const override { return system_.idle(); }
  MemoryCounters counters() const override { return system_.counters(); }
  void reset_counters(Cycle now) override { system_.reset_counters(now); }

 private:
  MemorySystem system_;
};

}  // namespace

std::unique_ptr<MemoryModel> make_full_memory(const MachineDescription& machine) {
  return std::make_unique<FullModel>(machine);
}

}  // namespace heddle::device::sim
