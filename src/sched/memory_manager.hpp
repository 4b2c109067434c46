// Memory for copies of arrays: allocates them, and evicts others if a device's memory does not suffice.
//
// Allocating may wait for the device, and evicting does wait. So both are done without the core's lock. Bytes of an
// evicted copy that are current nowhere else are written back to the host.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "memory/eviction.hpp"
#include "memory/registry.hpp"
#include "sched/pinned_arrays.hpp"
#include "sched/scheduler.hpp"
#include "sched/transfers.hpp"

namespace heddle::sched {

class MemoryManager {
 public:
  struct Options {
    std::vector<std::uint64_t> budgets;  // bytes for copies of arrays, by space (memory::Registry::unlimited: no limit)
    std::vector<bool> guarded;           // by space: memory is guarded (device::Memory::guard)
    std::unique_ptr<const memory::EvictionPolicy> eviction = std::make_unique<memory::LeastRecentlyUsed>();
    // Waits until a user that keeps arrays in place may have ended (memory::Array::open_uses, partial_uses). Releases
    // the lock meanwhile.
    std::function<void(base::Lock&)> wait_for_users;
    // Submits the launches that are held for replay, before arrays are evicted: the DAG does not know of their uses of
    // arrays yet.
    std::function<void()> submit_held;
  };
  MemoryManager(Scheduler& scheduler, Transfers& transfers, const PinnedArrays& pinned, Options options);
  MemoryManager(const MemoryManager&) = delete;
  MemoryManager& operator=(const MemoryManager&) = delete;

  // A token of a launch that has to evict arrays, which it has until it is submitted. Only one launch evicts at a time,
  // so that two do not evict each other's arrays. Another thread than the one that acquired it may release it.
  class Pressure {
   public:
    Pressure() = default;
    ~Pressure() { release(); }
    Pressure(const Pressure&) = delete;
    Pressure& operator=(const Pressure&) = delete;
    void release() {
      if (auto* const manager = std::exchange(manager_, nullptr)) manager->end_pressure();
    }

   private:
    friend class MemoryManager;
    MemoryManager* manager_ = nullptr;
  };

  // Allocates a copy of each of these arrays in the space, and evicts others if needed. `lock` holds the core's lock
  // and may be released meanwhile. When the function returns, all copies exist, and have existed since `lock` was last
  // acquired. Returns whether `lock` was released. `user`: what needs the arrays, for messages. Throws out_of_memory
  // with what takes the memory.
  bool allocate(std::span<memory::Array* const> arrays, memory::Space space, base::Lock& lock, Pressure& pressure,
                std::string_view user) {
    for (const memory::Array* const array : arrays)
      if (!array->allocated(space)) [[unlikely]]
        return allocate_missing(arrays, space, lock, pressure, user);
    return false;
  }
  // Waits until no thread that evicts needs the array. Releases the lock meanwhile.
  void wait_for_eviction(const memory::Array& array, base::Lock& lock) {
    while (array.needed_by_eviction > 0) eviction_ended_.wait(lock.native());
  }
  // Frees a copy that no task uses any more. Needs the core's lock.
  void release(memory::Array& array, memory::Space space);

  // Whether the host can access memory of the place. The first call allocates some to find out. Any thread, without the
  // core's lock.
  bool host_reaches(std::size_t place);

  // Whether the place's copies have a budget. The host then gets no pointers into their memory.
  bool limited(std::size_t place) const {
    return registry_.budget(static_cast<memory::Space>(place)) != memory::Registry::unlimited;
  }

  memory::Registry& registry() { return registry_; }  // needs the core's lock
  // Bytes that were evicted, and those of them that were written back. Needs the core's lock.
  std::uint64_t evicted_bytes() const { return evicted_; }
  std::uint64_t written_back_bytes() const { return written_back_; }

 private:
  bool allocate_missing(std::span<memory::Array* const> arrays, memory::Space space, base::Lock& lock,
                        Pressure& pressure, std::string_view user);
  bool try_allocate(const std::vector<memory::Array*>& missing, memory::Space space,
                    base::Lock& lock) HEDDLE_RELEASES_LOCK;
  std::unique_ptr<device::Memory> make(const memory::Array& array, memory::Space space) const;
  void make_room(std::span<memory::Array* const> needed, memory::Space space, std::uint64_t bytes, base::Lock& lock,
                 Pressure& pressure, std::string_view user) HEDDLE_RELEASES_LOCK;
  std::vector<memory::EvictionCandidate> candidates(std::span<memory::Array* const> needed, memory::Space space) const;
  // Begins to evict a copy. Returns the tasks after which its memory can be freed.
  graph::TaskRefs start_evicting(memory::Array& array, memory::Space space);
  void make_host_copy(memory::Array& array, base::Lock& lock) HEDDLE_RELEASES_LOCK;
  void begin_pressure(Pressure& pressure);
  void end_pressure();
  bool is_kept_for_now(std::span<memory::Array* const> needed, memory::Space space) const;
  [[noreturn]] void refuse(memory::Space space, std::uint64_t bytes, std::string_view user) const;
  std::size_t place_for_host_memory() const;

  Scheduler& scheduler_;
  Transfers& transfers_;
  const PinnedArrays& pinned_;
  const std::vector<bool> guarded_;
  const std::unique_ptr<const memory::EvictionPolicy> eviction_;
  const std::function<void(base::Lock&)> wait_for_users_;
  const std::function<void()> submit_held_;
  base::Mutex pressure_mutex_;
  std::condition_variable pressure_ended_;
  bool pressure_ HEDDLE_GUARDED_BY(pressure_mutex_) = false;
  std::vector<std::atomic<int>> reaches_;  // by place: 0: not known, 1: no, 2: yes
  memory::Registry registry_;
  std::condition_variable eviction_ended_;
  std::uint64_t evicted_ = 0, written_back_ = 0;
};

}  // namespace heddle::sched
