#include "cuda_api/core/pool.hpp"

namespace {

void raise(std::atomic<std::uint64_t>& high, std::uint64_t value) {
  std::uint64_t before = high.load();
  while (before < value && !high.compare_exchange_weak(before, value)) {
  }
}

}  // namespace

void CUmemPoolHandle_st::take(std::uint64_t bytes) {
  const std::uint64_t now = used.fetch_add(bytes) + bytes;
  raise(used_high, now);
  raise(all_high, now + freed.load());
}

void CUmemPoolHandle_st::give(std::uint64_t bytes) { used.fetch_sub(bytes); }
