#include "device/sim/ideal_memory.hpp"

#include <vector>

#include "device/sim/memory_model.hpp"

namespace heddle::device::sim {
namespace {

class IdealModel final : public MemoryModel {
 public:
  explicit IdealModel(const MachineDescription& machine) : ports_(machine.sms, IdealMemory(machine)) {}
  MemoryPort& sm(unsigned index) override { return ports_[index]; }
  Cycle longest_epoch() const override { return 128; }
  void exchange(Cycle) override {}
  bool idle() const override { return true; }
  MemoryCounters counters() const override { return {}; }
  void reset_counters(Cycle) override {}

 private:
  std::vector<IdealMemory> ports_;
};

}  // namespace

std::unique_ptr<MemoryModel> make_ideal_memory(const MachineDescription& machine) {
  return std::make_unique<IdealModel>(machine);
}

}  // namespace heddle::device::sim
