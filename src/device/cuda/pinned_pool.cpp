#include "device/cuda/pinned_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace heddle::device::cuda {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20, slab_bytes = 2 * mebibyte, smallest = 256;
// Kept for later, of the large blocks.
constexpr std::size_t most_spare = std::size_t{4} << 30;

}  // namespace

std::size_t PinnedPool::rounded(std::size_t bytes) {
  if (bytes <= mebibyte) return std::bit_ceil(std::max(bytes, smallest));
  return (bytes + mebibyte - 1) / mebibyte * mebibyte;
}

PinnedPool::~PinnedPool() {
  for (const auto& [mapping, bytes] : mappings_) munmap(mapping, bytes);
}

void PinnedPool::unregister() {
  const base::Lock lock(mutex_);
  for (const auto& [mapping, bytes] : mappings_) driver_->host_unregister(mapping);
}

driver::Result PinnedPool::pin(std::size_t bytes, void*& mapping) {
  void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapping = nullptr;
  if (made == MAP_FAILED) return driver::success;
  madvise(made, bytes, MADV_HUGEPAGE);  // fewer pages to pin; a hint
  const driver::Result result = driver_->host_register(made, bytes, driver::host_portable | driver::host_device_mapped);
  if (result != driver::success) {
    munmap(made, bytes);
    return result == driver::error_out_of_memory ? driver::success : result;
  }
  mappings_.emplace(made, bytes);
  mapping = made;
  return result;
}

void PinnedPool::unmap(void* mapping) {
  const auto found = mappings_.find(mapping);
  if (!context_->lost()) driver_->host_unregister(mapping);
  munmap(mapping, found->second);
  mappings_.erase(found);
}

driver::Result PinnedPool::acquire(std::size_t bytes, void*& block) {
  bytes = rounded(bytes);
  const bool small = bytes <= mebibyte;
  const base::Lock lock(mutex_);
  auto& spare = small ? spare_small_ : spare_large_;
  if (const auto found = spare.find(bytes); found != spare.end()) {
    block = found->second;
    if (!small) spare_large_bytes_ -= bytes;
    spare.erase(found);
    return driver::success;
  }
  if (!small) {
    const driver::Result result = pin(bytes, block);
    if (block || result != driver::success) return result;
    trim(0);  // there may be too much of the wrong size
    return pin(bytes, block);
  }
  Rest& rest = rests_[bytes];
  if (rest.next == rest.end) {
    void* slab = nullptr;
    const driver::Result result = pin(slab_bytes, slab);
    block = nullptr;
    if (!slab) return result;
    rest = {static_cast<std::byte*>(slab), static_cast<std::byte*>(slab) + slab_bytes};
  }
  block = std::exchange(rest.next, rest.next + bytes);
  return driver::success;
}

void PinnedPool::release(void* block, std::size_t bytes) noexcept {
  bytes = rounded(bytes);
  const base::Lock lock(mutex_);
  if (bytes <= mebibyte) {
    spare_small_.emplace(bytes, block);
    return;
  }
  spare_large_.emplace(bytes, block);
  spare_large_bytes_ += bytes;
  if (spare_large_bytes_ > most_spare) trim(most_spare / 2);
}

void PinnedPool::trim(std::size_t to) {
  while (spare_large_bytes_ > to) {
    const auto largest = std::prev(spare_large_.end());
    unmap(largest->second);
    spare_large_bytes_ -= largest->first;
    spare_large_.erase(largest);
  }
}

}  // namespace heddle::device::cuda
