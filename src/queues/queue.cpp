#include "queues/queue.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "base/log.hpp"
#include "base/thread.hpp"
#include "device/launch_check.hpp"
#include "runtime/launch_traits.hpp"

namespace heddle::queues {
namespace {

// Queues of latency tenants go before others.
int class_priority(const std::shared_ptr<core::TenantState>& tenant, const QueueOptions& options) {
  const bool latency = tenant && tenant->options().kind == TenantKind::latency;
  return latency ? std::max(options.priority, 1) : options.priority;
}

// With a policy, that one adds the priority of each launch, from -1 on. The lowest of a GPU is 0.
int device_priority(core::Core& core, const std::shared_ptr<core::TenantState>& tenant, const QueueOptions& options) {
  return core.dispatcher() != nullptr ? options.priority + 1 : class_priority(tenant, options);
}

}  // namespace

QueueState::QueueState(std::shared_ptr<core::Core> core, std::size_t place, const QueueOptions& options,
                       std::shared_ptr<core::TenantState> tenant)
    : core_(std::move(core)),
      tenant_(std::move(tenant)),
      partition_(options.processors.empty() ? nullptr : &core_->partition(place, options.processors)),
      bounded_(options.bounded),
      keeps_failure_(options.keeps_failure),
      queue_(*core_, place, {.priority = device_priority(*core_, tenant_, options), .partition = partition_}) {
  if (core_->dispatcher() == nullptr) return;
  const base::Lock lock(core_->mutex());
  launch_queue_ = &core_->dispatcher()->add_queue("queue", class_priority(tenant_, options),
                                                  tenant_ ? tenant_->tenant() : core_->own_tenant());
}

QueueState::~QueueState() {
  if (launch_queue_ == nullptr) return;
  base::Lock lock(core_->mutex_at_end());
  if (last_) core_->dispatcher()->wait_until_submitted({&last_, 1}, lock);
  core_->dispatcher()->remove_queue(*launch_queue_);
}

device::Device* QueueState::device_of(int number) const {
  if (number == MemorySpan::host) return nullptr;
  if (number < 0 || static_cast<std::size_t>(number) >= core_->places())
    base::fail(ErrorCode::invalid_argument, "memory of device number {}; this runtime's devices are 0 to {}", number,
               core_->places() - 1);
  return &core_->device(static_cast<std::size_t>(number));
}

device::Span QueueState::span(const MemorySpan& span) const {
  return {device_of(span.device), span.address, span.size};
}

device::BoxPlace QueueState::box(const MemoryBox& box) const {
  return {device_of(box.device), box.address, box.row, box.plane};
}

void QueueState::launch(const LoadedKernelState& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
                        const BlockRange* range) {
  if (kernel.place() != place())
    base::fail(ErrorCode::invalid_argument, "kernel '{}' was loaded for {}, the queue is of {}",
               base::demangled(kernel.kernel().name()), core_->device(kernel.place()).info().id,
               core_->device(place()).info().id);
  const device::LaunchConfig config{shape.grid, shape.block, shape.shared, shape.cooperative};
  const BlockRange blocks = range ? *range : BlockRange{0, shape.grid.count()};
  const Counted counted(*this);
  if (launch_queue_ != nullptr) return hold_launch(kernel, config, blocks, arguments);
  launch_now(kernel, config, blocks, arguments, range == nullptr);
}

void QueueState::launch_now(const LoadedKernelState& kernel, const device::LaunchConfig& config, BlockRange blocks,
                            std::span<const std::byte> arguments, bool whole) {
  std::uint64_t slice = config.cooperative || blocks.empty() ? 0 : kernel.slice(blocks.size());
  if (slice != 0) {
    const std::uint64_t clusters = runtime::blocks_of_whole_clusters(kernel.function().ptx(), config.grid);
    slice = (slice + clusters - 1) / clusters * clusters;
  }
  queue_.put([&](device::Queue& queue) {
    if (slice != 0) {
      try {
        return queue.launch_parts(kernel.function(), config, blocks, slice, arguments);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported || !whole) throw;
        kernel.keep_whole(error);
      }
    }
    queue.launch(kernel.function(), config, blocks, arguments);
  });
}

// What the arguments are wrong with is said now, not when the policy has the launch submitted.
void QueueState::hold_launch(const LoadedKernelState& kernel, const device::LaunchConfig& config, BlockRange blocks,
                             std::span<const std::byte> arguments) {
  device::check_launch(core_->device(place()).info(), kernel.function(), config, blocks, arguments.size());
  auto work = std::make_unique<QueueLaunch>(queue_, failure_, *kernel.kernel().state(), kernel.function(), config,
                                            blocks, arguments, partition_);
  base::Lock lock(core_->mutex());
  last_ = hold(std::move(work), nullptr);
}

std::shared_ptr<sched::HeldTask> QueueState::hold(std::unique_ptr<sched::Work> work,
                                                  std::shared_ptr<sched::HeldTask> also_after) {
  const std::shared_ptr<sched::HeldTask> parents[] = {last_, std::move(also_after)};
  auto task = core_->dispatcher()->hold_after(*launch_queue_, std::move(work), parents);
  holds_many_.store(core_->dispatcher()->is_full(*launch_queue_), std::memory_order_relaxed);
  return task;
}

// Where nothing that comes before is held the command goes at once, without the core's lock, and what it throws is
// thrown here. Returns the held task; null: the command is in the queue.
std::shared_ptr<sched::HeldTask> QueueState::hold_command(base::Lock& lock, std::function<void()> put,
                                                          std::shared_ptr<sched::HeldTask> also_after) {
  if (!is_held(last_) && !is_held(also_after) && !launch_queue_->suspended) {
    lock.unlock();
    put();
    return nullptr;
  }
  last_ = hold(std::make_unique<QueueCommand>(queue_, failure_, std::move(put), HoldsUp::until_submitted),
               std::move(also_after));
  return last_;
}

// In the device, what runs later would count as in flight until it has run: for as long as the host likes, and for ever
// where the host waits for what the policy then withholds.
void QueueState::hold_up(std::function<void()> put) {
  last_ = hold(std::make_unique<QueueCommand>(queue_, failure_, std::move(put), HoldsUp::until_run), nullptr);
}

void QueueState::call(std::function<void()> function) {
  // Threads of Heddle's block signals. The function can raise those that its program handles, and start processes.
  auto as_the_caller = [blocked = base::blocked_signals(), function = std::move(function)] {
    const base::SignalMask mask(blocked);
    function();
  };
  const auto put = [this, call = std::move(as_the_caller)] {
    queue_.put([&](device::Queue& queue) { queue.call(call); });
  };
  const Counted counted(*this);
  if (launch_queue_ == nullptr) return put();
  const base::Lock lock(core_->mutex());
  hold_up(put);
}

void QueueState::record(EventState& event) {
  const Counted counted(*this);
  if (launch_queue_ == nullptr) return queue_.record(event.only_record());
  base::Lock lock(core_->mutex());
  auto record = event.renew();
  event.set_task(hold_command(lock, [this, record] { queue_.record(*record); }));
}

void QueueState::wait(EventState& event) {
  const Counted counted(*this);
  if (launch_queue_ == nullptr) return queue_.wait(event.only_record());
  base::Lock lock(core_->mutex());
  hold_command(lock, [this, record = event.record()] { queue_.wait(*record); }, event.task());
}

void QueueState::wait(std::shared_ptr<const device::Event> event) {
  const Counted counted(*this);
  if (launch_queue_ == nullptr) return queue_.wait(*event);
  const base::Lock lock(core_->mutex());
  hold_up([this, event = std::move(event)] { queue_.wait(*event); });
}

// What is held needs no mark: the dispatcher bounds it.
void QueueState::mark() noexcept {
  try {
    if (launch_queue_ != nullptr) {
      const base::Lock lock(core_->mutex());
      if (is_held(last_)) return;
    }
    const std::shared_ptr<device::Event> end = core_->device(place()).untimed_event();
    queue_.put([&](device::Queue& queue) { queue.record(*end); });
    if (auto point = end->point()) backlog_.add({std::move(point)});
  } catch (const std::exception& error) {
    base::log_debug("more commands may be pending than usual: {}", error.what());
  }
}

void QueueState::wait_for_room() {
  backlog_.wait_for_room();
  if (launch_queue_ == nullptr) return;
  base::Lock lock(core_->mutex());
  core_->dispatcher()->wait_for_room(*launch_queue_, lock);
  holds_many_.store(false, std::memory_order_relaxed);
}

void QueueState::synchronize() {
  std::exception_ptr failure;
  if (launch_queue_ != nullptr) {
    base::Lock lock(core_->mutex());
    // Others may launch meanwhile: what they make the last is not waited for.
    const std::shared_ptr<sched::HeldTask> last = last_;
    if (is_held(last)) core_->dispatcher()->wait_until_submitted({&last, 1}, lock);
    failure = keeps_failure_ ? failure_.first : std::exchange(failure_.first, nullptr);
  }
  try {
    queue_.synchronize();
  } catch (const Error&) {
    // It is reported now; later commands must not be skipped for it.
    if (!keeps_failure_) queue_.clear_failure();
    throw;
  }
  if (launch_queue_ != nullptr) {
    const base::Lock lock(core_->mutex());
    if (!is_held(last_)) core_->dispatcher()->begin_batch(*launch_queue_);
  }
  if (failure) std::rethrow_exception(failure);
}

void QueueState::clear_failure() {
  if (launch_queue_ != nullptr) {
    const base::Lock lock(core_->mutex());
    failure_.first = nullptr;
  }
  queue_.clear_failure();
}

}  // namespace heddle::queues
