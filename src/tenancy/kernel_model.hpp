// Kernels as numbers, for devices that only model their time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::tenancy {

struct KernelModel {
  std::string name;
  std::uint64_t signature = 0;
  std::uint64_t blocks = 1;
  std::uint32_t resident_blocks = 1;  // that one processor holds at a time
  double block_seconds = 0;           // of a block beside its like
  double fixed_seconds = 3e-6;        // of a range besides its blocks: its launch, its last blocks
  double memory_share = 0;            // of the device's bandwidth, when it has the device
  double sensitivity = 1;             // to the frequency: 1 computes, 0 waits for memory
  bool divisible = true;
  bool cooperative = false;
};

// The launches of one request, or of one iteration of a training, in their order.
struct ModelSequence {
  std::string name;
  std::vector<KernelModel> kernels;
};

}  // namespace heddle::tenancy
