// divergence=mimd: each lane issues at its own place, all in one slot. No machine does that: it is the bound for
// policies that form warps (Dynamic Warp Formation, section 2.4).
#include "device/sim/policies/splits.hpp"

namespace heddle::device::sim {
namespace {

class Mimd final : public Splits {
 public:
  using Splits::Splits;
  bool shares_slots() const override { return true; }
};

}  // namespace

std::unique_ptr<DivergencePolicy> make_mimd(const DivergenceContext& context) {
  return std::make_unique<Mimd>(context);
}

}  // namespace heddle::device::sim
