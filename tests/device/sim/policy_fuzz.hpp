// Small random kernels under every policy of a simulated SM (Dynamic Warp Formation, DH3; Simultaneous Branch and Warp
// Interweaving, SH3). tests/device/sim/policy_test.cpp does the same with larger kernels on presets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::device::sim {

struct FuzzResult {
  std::string difference;                                        // with the policies that differ; empty: none
  unsigned runs = 0;                                             // simulations
  std::uint64_t warp_instructions = 0, thread_instructions = 0;  // of all of them; of one
};

// The options of every run of a seed's kernel, the stack's first. Each value of each policy is among them; values of
// their options take turns by seed.
std::vector<std::string> fuzz_policies(std::uint64_t seed);

// Whether the kernel of the seed (generate_small()) leaves the interpreter's memory under all of fuzz_policies(), with
// as many thread instructions as on the stack. After each cycle the audit looks at what must hold, and each slot is
// counted once. `policies`: these options alone, beside the stack. Throws nothing.
FuzzResult fuzz_seed(std::uint64_t seed, const std::string& policies = {});

}  // namespace heddle::device::sim
