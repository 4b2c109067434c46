// residency=virtual-thread: blocks are taken as capacity allows, with room for contexts; as many as the scheduling
// limit allows are active (Virtual Thread, section 2.1). residency=max: all of them are, without a cost: its reference.
#include <algorithm>

#include "device/sim/policies/virtual_thread/occupancy.hpp"

namespace heddle::device::sim {
namespace {

class ByCapacity final : public CtaResidencyPolicy {
 public:
  ByCapacity(const Residency& limits, const PolicyOptions& options, bool rotates)
      : limits_(limits),
        context_{options.number("context-entries"), options.number("context-scale")},
        virtual_warps_(options.number("virtual-warps")),
        rotates_(rotates),
        baseline_(make_static_residency(limits, options)) {}

  bool admits(const BlockNeeds& needs) const override {
    if (used_.registers + needs.registers > limits_.registers || used_.warps + needs.warps > virtual_warps_)
      return false;
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
  bool rotates() const override { return rotates_; }

 private:
  std::uint64_t shared(const BlockNeeds& needs) const {
    return needs.shared + (rotates_ ? context_.bytes(needs.warps) : 0);
  }
  const Residency limits_;
  const BlockStateSize context_;
  const unsigned virtual_warps_;
  const bool rotates_;
  std::unique_ptr<CtaResidencyPolicy> baseline_;
  BlockNeeds used_;
  unsigned blocks_ = 0;
};

}  // namespace

std::unique_ptr<CtaResidencyPolicy> make_virtual_thread(const Residency& limits, const PolicyOptions& options) {
  return std::make_unique<ByCapacity>(limits, options, true);
}
std::unique_ptr<CtaResidencyPolicy> make_max_residency(const Residency& limits, const PolicyOptions& options) {
  return std::make_unique<ByCapacity>(limits, options, false);
}

}  // namespace heddle::device::sim
