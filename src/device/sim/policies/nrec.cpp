// divergence=nrec: threads that part never meet again (Dynamic Warp Formation, section 2.2).
#include "device/sim/policies/splits.hpp"

namespace heddle::device::sim {

std::unique_ptr<DivergencePolicy> make_nrec(const DivergenceContext& context) {
  return std::make_unique<Splits>(context);
}

}  // namespace heddle::device::sim
