#include "device/sim/sim.hpp"
#include "conformance/conformance.hpp"
HEDDLE_CONFORMANCE(sim, [] {
  return heddle::device::sim::make_sim_device(heddle::device::sim::parse_sim_options("sim:fermi-gtx480"));
})
