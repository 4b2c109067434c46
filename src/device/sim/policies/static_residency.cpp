// residency=round-robin: a block is taken when threads, warps, block slots, registers and shared memory suffice, and
// keeps them to its end (Virtual Thread, section 2.1: the baseline).
#include "device/sim/policies/residency.hpp"

namespace heddle::device::sim {
namespace {

template <class T>
T round_up(T value, T unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

class StaticResidency final : public CtaResidencyPolicy {
 public:
  explicit StaticResidency(const Residency& limits) : limits_(limits) {}
  bool admits(const BlockNeeds& needs) const override {
    return blocks_ + 1 <= limits_.blocks && used_.threads + needs.threads <= limits_.threads &&
           used_.warps + needs.warps <= limits_.warps && used_.registers + needs.registers <= limits_.registers &&
           used_.shared + needs.shared <= limits_.shared_bytes;
  }
  unsigned warp_slots() const override { return limits_.warps; }
  void admitted(const BlockNeeds& needs) override {
    ++blocks_;
    used_.threads += needs.threads;
    used_.warps += needs.warps;
    used_.registers += needs.registers;
    used_.shared += needs.shared;
  }
  void released(const BlockNeeds& needs) override {
    --blocks_;
    used_.threads -= needs.threads;
    used_.warps -= needs.warps;
    used_.registers -= needs.registers;
    used_.shared -= needs.shared;
  }

 private:
  const Residency limits_;
  BlockNeeds used_;
  unsigned blocks_ = 0;
};

}  // namespace

BlockNeeds needs_of(const Residency& limits, unsigned threads, unsigned registers, std::uint64_t shared) {
  BlockNeeds needs;
  needs.threads = threads;
  needs.warps = round_up((threads + 31) / 32, limits.warp_unit);
  needs.registers = limits.registers_by_block ? round_up(registers * 32 * needs.warps, limits.register_unit)
                                              : round_up(registers * 32, limits.register_unit) * needs.warps;
  needs.shared = round_up<std::uint64_t>(shared + limits.shared_reserved, limits.shared_unit);
  return needs;
}

std::unique_ptr<CtaResidencyPolicy> make_static_residency(const Residency& limits, const PolicyOptions&) {
  return std::make_unique<StaticResidency>(limits);
}

}  // namespace heddle::device::sim
