#include "support/scarce_memory.hpp"

#include <atomic>
#include <cstddef>

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

constexpr long unlimited = heddle::tests::ScarceMemory::all;
constinit std::atomic<long> left = unlimited, failures = 0;

bool has_memory() {
  if (left.load(std::memory_order_relaxed) == unlimited || left.fetch_sub(1) > 0) return true;
  return failures.load() != unlimited && failures.fetch_sub(1) <= 0;
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// In place of the C library's.
extern "C" void* malloc(std::size_t bytes) { return has_memory() ? __libc_malloc(bytes) : nullptr; }
#endif

namespace heddle::tests {

ScarceMemory::ScarceMemory(long succeed, long fail) {
  failures = fail;
  left = succeed;
}
ScarceMemory::~ScarceMemory() { left = unlimited; }
bool ScarceMemory::ran_out() const { return left < 0; }

}  // namespace heddle::tests
