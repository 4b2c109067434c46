#include "cuda_api/core/entry.hpp"

#include "base/dedicated_thread.hpp"

namespace heddle::cuda_api {

void KernelEntry::prepare(Context& context, const heddle::LoadedKernel& loaded, const Dim3& block) {
  // A GPU's code does not depend on the block.
  if (!context.info().host_memory || block.x > 1024 || block.y > 1024 || block.z > 64) return;
  const std::uint64_t key = context.epoch() << 40 | std::uint64_t(context.number() & 63) << 34 |
                            std::uint64_t{block.x} << 20 | block.y << 8 | block.z;
  if (prepared_.load(std::memory_order_relaxed) == key) return;
  // This thread holds the lock meanwhile.
  base::run_on_dedicated_thread([&]() HEDDLE_NO_THREAD_SAFETY_ANALYSIS { loaded.prepare(block); });
  prepared_.store(key, std::memory_order_relaxed);
}

const heddle::LoadedKernel& KernelEntry::on(Context& context) {
  std::atomic<const Loaded*>& place = loaded_[context.slot() % most_contexts];
  const Loaded* loaded = place.load(std::memory_order_acquire);
  if (loaded && loaded->epoch == context.epoch()) return loaded->kernel;
  const base::Lock lock(mutex_);
  try {
    base::run_on_dedicated_thread([&]() HEDDLE_NO_THREAD_SAFETY_ANALYSIS {  // this thread holds the lock meanwhile
      const heddle::Module module = image_.on(context);
      all_.push_back({context.device().load(module.kernel(name_)), context.epoch()});
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Failure(cudaErrorInvalidDeviceFunction, error.what());
  }
  place.store(&all_.back(), std::memory_order_release);
  return all_.back().kernel;
}

bool KernelEntry::is_on(const Context& context) const {
  const Loaded* const loaded = loaded_[context.slot() % most_contexts].load(std::memory_order_acquire);
  return loaded && loaded->epoch == context.epoch();
}

MemorySpan VariableEntry::on(Context& context) {
  try {
    return context.device().variable(image_.on(context), name_);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Failure(cudaErrorInvalidSymbol, error.what());
  }
}

}  // namespace heddle::cuda_api
