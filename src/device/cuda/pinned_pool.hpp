// A GPU's pinned host memory: copies from and to it run at the link's full rate and do not hold up the host.
//
// The memory is the process's own and registered with the driver, not the driver's: so what the host keeps there
// outlives a GPU that is lost. Registering takes the driver long, so freed blocks are kept and reused.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "base/thread_safety.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/driver.hpp"

namespace heddle::device::cuda {

// Blocks of a power of two of bytes up to 1 MiB, cut from slabs of 2 MiB, and of whole MiB above. Any thread.
class PinnedPool {
 public:
  PinnedPool(std::shared_ptr<const Driver> driver, std::shared_ptr<const PrimaryContext> context)
      : driver_(std::move(driver)), context_(std::move(context)) {}
  // Returns the memory to the system; see unregister().
  ~PinnedPool();
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  // A block: null when the system has no more memory that can be pinned. Another failure of the driver is returned.
  // Needs the GPU's context.
  driver::Result acquire(std::size_t bytes, void*& block);
  void release(void* block, std::size_t bytes) noexcept;
  // Unregisters all of it from the driver. Needs the GPU's context.
  void unregister();

  // The size of the block that an allocation of so many bytes gets.
  static std::size_t rounded(std::size_t bytes);

 private:
  driver::Result pin(std::size_t bytes, void*& mapping) HEDDLE_REQUIRES(mutex_);
  void unmap(void* mapping) HEDDLE_REQUIRES(mutex_);
  void trim(std::size_t to) HEDDLE_REQUIRES(mutex_);

  const std::shared_ptr<const Driver> driver_;
  const std::shared_ptr<const PrimaryContext> context_;
  base::Mutex mutex_;
  std::map<void*, std::size_t> mappings_ HEDDLE_GUARDED_BY(mutex_);
  std::multimap<std::size_t, void*> spare_small_ HEDDLE_GUARDED_BY(mutex_),
      spare_large_ HEDDLE_GUARDED_BY(mutex_);  // large ones are whole mappings
  std::size_t spare_large_bytes_ HEDDLE_GUARDED_BY(mutex_) = 0;
  // What is left of the last slab of each size of small blocks.
  struct Rest {
    std::byte *next = nullptr, *end = nullptr;
  };
  std::map<std::size_t, Rest> rests_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::device::cuda
