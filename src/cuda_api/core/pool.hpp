// A memory pool: memory that is allocated and freed in the order of streams. Later allocations of the same size reuse
// freed memory. At synchronisations it goes back to the device, except for the amount that the pool may keep.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::cuda_api {
class Context;
}

// What a cudaMemPool_t points to. Never freed, so that a handle of one that was destroyed is recognised as invalid.
struct CUmemPoolHandle_st {
  heddle::cuda_api::Context* context = nullptr;
  std::atomic<bool> alive{true};
  bool of_device = false;                            // the device's own, which cannot be destroyed
  std::uint64_t most = 0;                            // bytes it may hold; 0: all there is
  std::atomic<std::uint64_t> keep{0};                // bytes that it may keep at synchronisations
  std::atomic<std::uint64_t> used{0}, used_high{0};  // bytes that the program has
  std::atomic<std::uint64_t> freed{0}, all_high{0};  // bytes that can be used again; of both together
  std::atomic<int> reuse[3] = {1, 1, 1};             // the program's hints, without effect

  void take(std::uint64_t bytes);
  void give(std::uint64_t bytes);
};
