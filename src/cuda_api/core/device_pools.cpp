#include "cuda_api/core/device_pools.hpp"
#include "base/thread_safety.hpp"

#include <deque>
#include <vector>

namespace heddle::cuda_api {
namespace {

struct Pools {
  heddle::base::Mutex mutex;
  std::deque<CUmemPoolHandle_st> all HEDDLE_GUARDED_BY(mutex);
  struct OfDevice {
    CUmemPoolHandle_st *own = nullptr, *current = nullptr;
  };
  std::vector<OfDevice> devices HEDDLE_GUARDED_BY(mutex);

  CUmemPoolHandle_st& add(Context& context) HEDDLE_REQUIRES(mutex) {
    CUmemPoolHandle_st& pool = all.emplace_back();
    pool.context = &context;
    return pool;
  }
  OfDevice& of(Context& context) HEDDLE_REQUIRES(mutex) {
    const auto number = static_cast<std::size_t>(context.number());
    if (devices.size() <= number) devices.resize(number + 1);
    OfDevice& made = devices[number];
    if (!made.own) {
      made.own = made.current = &add(context);
      made.own->of_device = true;
    }
    return made;
  }
};

Pools& pools() {
  static Pools* const made = new Pools;  // never taken down, see Process
  return *made;
}

}  // namespace

CUmemPoolHandle_st& default_pool(Context& context) {
  const base::Lock lock(pools().mutex);
  return *pools().of(context).own;
}

CUmemPoolHandle_st& current_pool(Context& context) {
  const base::Lock lock(pools().mutex);
  return *pools().of(context).current;
}

void set_current_pool(Context& context, CUmemPoolHandle_st& pool) {
  const base::Lock lock(pools().mutex);
  pools().of(context).current = &pool;
}

bool is_pool(const CUmemPoolHandle_st* pool) {
  const base::Lock lock(pools().mutex);
  for (const auto& each : pools().all)
    if (&each == pool && each.alive) return true;
  return false;
}

CUmemPoolHandle_st& make_pool(Context& context, std::uint64_t most) {
  const base::Lock lock(pools().mutex);
  CUmemPoolHandle_st& pool = pools().add(context);
  pool.most = most;
  return pool;
}

void destroy_pool(CUmemPoolHandle_st& pool) {
  const base::Lock lock(pools().mutex);
  if (pool.of_device) throw Failure(cudaErrorInvalidValue, "the pool is the device's own, which stays");
  Pools::OfDevice& device = pools().of(*pool.context);
  if (device.current == &pool) device.current = device.own;
  pool.keep = 0;
  pool.alive = false;
}

}  // namespace heddle::cuda_api
