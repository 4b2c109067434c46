// A device on which kernels share SMs, for tests of policies that choose pairs.
#pragma once

#include "sched/policy.hpp"

namespace heddle::sched {

// As Fermi's GPUs.
inline CoRunDevice fermi() {
  CoRunDevice device;
  device.sm.latency = {.base = 400, .per_request = 1, .uncoalesced_base = 500};
  device.limits.threads = 1536;
  device.limits.blocks = 8;
  device.limits.registers = 32 * 1024;
  device.limits.shared = device.limits.block_shared = 48 * 1024;
  return device;
}

}  // namespace heddle::sched
