// residency=virtual-thread: blocks are taken as capacity allows, with room for contexts; as many as the scheduling
// limit allows are active (Virtual Thread, section 2.1). residency=max: all of them are, without a cost: its reference.
// residency=finereg: as virtual-thread, but a block that has given way keeps only registers with values that may be
// read, so that registers limit active blocks only (FineReg, MICRO 2018).
#include <algorithm>

#include "device/sim/policies/virtual_thread/occupancy.hpp"

namespace heddle::device::sim {
namespace {

class ByCapacity final : public CtaResidencyPolicy {
 public:
  enum class Kind : std::uint8_t { rotates, keeps_live_registers, all_active };
  ByCapacity(const Residency& limits, const PolicyOptions& options, Kind kind)
      : limits_(limits),
        context_{options.number("context-entries"), options.number("context-scale")},
        virtual_warps_(options.number("virtual-warps")),
        kind_(kind),
        baseline_(make_static_residency(limits, options)) {}

  bool admits(const BlockNeeds& needs) const override {
    if (used_.warps + needs.warps > virtual_warps_) return false;
    // Blocks that come back find as many registers as those that end or give way leave: all have as many.
    if (kind_ == Kind::keeps_live_registers && blocks_ != 0 && used_.registers != blocks_ * needs.registers)
      return false;
    if (kind_ != Kind::keeps_live_registers && used_.registers + needs.registers > limits_.registers) return false;
    return baseline_->admits(needs) || used_.shared + shared(needs) <= limits_.shared_bytes;
  }
  void admitted(const BlockNeeds& needs) override {
    baseline_->admitted(needs);
    ++blocks_;
    used_.warps += needs.warps;
    used_.registers += needs.registers;
    used_.shared += shared(needs);
  }
  void released(const BlockNeeds& needs) override {
    baseline_->released(needs);
    --blocks_;
    used_.warps -= needs.warps;
    used_.registers -= needs.registers;
    used_.shared -= shared(needs);
  }
  unsigned warp_slots() const override { return std::max(virtual_warps_, limits_.warps); }
  bool rotates() const override { return kind_ != Kind::all_active; }
  bool keeps_live_registers() const override { return kind_ == Kind::keeps_live_registers; }

 private:
  std::uint64_t shared(const BlockNeeds& needs) const {
    return needs.shared + (rotates() ? context_.bytes(needs.warps) : 0);
  }
  const Residency limits_;
  const BlockStateSize context_;
  const unsigned virtual_warps_;
  const Kind kind_;
  std::unique_ptr<CtaResidencyPolicy> baseline_;
  BlockNeeds used_;
  unsigned blocks_ = 0;
};

}  // namespace

std::unique_ptr<CtaResidencyPolicy> make_virtual_thread(const Residency& limits, const PolicyOptions& options) {
  return std::make_unique<ByCapacity>(limits, options, ByCapacity::Kind::rotates);
}
std::unique_ptr<CtaResidencyPolicy> make_live_registers(const Residency& limits, const PolicyOptions& options) {
  return std::make_unique<ByCapacity>(limits, options, ByCapacity::Kind::keeps_live_registers);
}
std::unique_ptr<CtaResidencyPolicy> make_max_residency(const Residency& limits, const PolicyOptions& options) {
  return std::make_unique<ByCapacity>(limits, options, ByCapacity::Kind::all_active);
}

}  // namespace heddle::device::sim
