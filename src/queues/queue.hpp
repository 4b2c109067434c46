// Implements heddle::Queue: commands in order. They are put into the device's queue at once; in managed mode they are
// held until the policy submits them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "base/thread_safety.hpp"
#include "core/core.hpp"
#include "core/tenant_state.hpp"
#include "queues/event.hpp"
#include "queues/loaded_kernel.hpp"
#include "queues/queue_work.hpp"
#include "queues/shared_queue.hpp"
#include "sched/backlog.hpp"

namespace heddle::queues {

class QueueState {
 public:
  // `tenant`: whose queue it is; null: nobody's.
  QueueState(std::shared_ptr<core::Core> core, std::size_t place, const QueueOptions& options,
             std::shared_ptr<core::TenantState> tenant = nullptr);
  ~QueueState();
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;

  std::size_t place() const { return queue_.place(); }
  const std::shared_ptr<base::Watcher>& watcher() const { return core_->watcher(); }
  // The span in the devices' terms. Throws invalid_argument if there is no such device.
  device::Span span(const MemorySpan& span) const;
  device::BoxPlace box(const MemoryBox& box) const;
  void launch(const LoadedKernelState& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
              const BlockRange* range);
  // Calls a function of the host in the queue's order. Later commands are held until it has returned.
  void call(std::function<void()> function);
  // Calls put(device::Queue&) in the queue's order: now, or later if commands before it are held.
  template <class Put>
  void put(Put put) {
    const Counted counted(*this);
    if (launch_queue_ == nullptr) return queue_.put(put);
    base::Lock lock(core_->mutex());
    hold_command(lock, [this, put = std::move(put)] { queue_.put(put); });
  }
  void record(EventState& event);
  void wait(EventState& event);
  // For what no queue brings about, as a condition of the host. Later commands are held until then.
  void wait(std::shared_ptr<const device::Event> event);
  void synchronize();
  void clear_failure();
  // Whether more than enough commands are held, or in the device's queue.
  bool full() const { return backlog_.full() || holds_many_.load(std::memory_order_relaxed); }
  void wait_for_room();

 private:
  // Exists while a command is put in. Before that, its thread waits where the queue is full.
  class Counted {
   public:
    explicit Counted(QueueState& queue) : queue_(queue) {
      if (queue.bounded_ && queue.full()) [[unlikely]]
        queue.wait_for_room();
    }
    ~Counted() {
      if (queue_.backlog_.count()) [[unlikely]]
        queue_.mark();
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    QueueState& queue_;
  };
  device::Device* device_of(int number) const;
  void launch_now(const LoadedKernelState& kernel, const device::LaunchConfig& config, BlockRange blocks,
                  std::span<const std::byte> arguments, bool whole);
  void hold_launch(const LoadedKernelState& kernel, const device::LaunchConfig& config, BlockRange blocks,
                   std::span<const std::byte> arguments);
  void mark() noexcept;
  std::shared_ptr<sched::HeldTask> hold_command(base::Lock& lock, std::function<void()> put,
                                                std::shared_ptr<sched::HeldTask> also_after = nullptr)
      HEDDLE_RELEASES_LOCK;
  // Later commands are held until it has run.
  void hold_up(std::function<void()> put);
  std::shared_ptr<sched::HeldTask> hold(std::unique_ptr<sched::Work> work, std::shared_ptr<sched::HeldTask> also_after);

  const std::shared_ptr<core::Core> core_;
  const std::shared_ptr<core::TenantState> tenant_;
  const device::Partition* const partition_;  // its own; null: the whole device
  const bool bounded_, keeps_failure_;
  SharedQueue queue_;
  sched::Backlog backlog_;
  std::atomic<bool> holds_many_{false};
  // Managed mode; the rest needs the core's lock.
  sched::LaunchQueue* launch_queue_ = nullptr;
  std::shared_ptr<sched::HeldTask> last_;
  HeldFailure failure_;
};

}  // namespace heddle::queues
