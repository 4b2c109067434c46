#include "heap.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> bytes{0}, peak{0};

constexpr std::int64_t header_bytes = 8;  // of glibc's allocator, beside what a block can hold

void count(void* memory, std::int64_t sign) {
  const std::int64_t size = static_cast<std::int64_t>(::malloc_usable_size(memory)) + header_bytes;
  const std::int64_t now = bytes.fetch_add(sign * size, std::memory_order_relaxed) + sign * size;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void* allocate(std::size_t size, std::size_t alignment) {
  void* const memory = alignment == 0 ? std::malloc(size)
                                      : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  count(memory, 1);
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  count(memory, -1);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace heddle::bench {

std::int64_t heap_bytes() { return bytes.load(std::memory_order_relaxed); }
std::int64_t heap_peak() { return peak.load(std::memory_order_relaxed); }
void reset_heap_peak() { peak.store(bytes.load(std::memory_order_relaxed), std::memory_order_relaxed); }

}  // namespace heddle::bench
