#include "runtime/direct.hpp"

#include <algorithm>
#include <utility>

#include "base/apart.hpp"
#include "base/fail.hpp"
#include "base/log.hpp"
#include "device/launch_check.hpp"
#include "runtime/held.hpp"
#include "runtime/inspect.hpp"
#include "runtime/module_state.hpp"

namespace heddle {

namespace runtime {

LoadedKernelState::LoadedKernelState(Kernel kernel, std::size_t place, device::Function& function)
    : kernel_(std::move(kernel)), place_(place), function_(function), slice_(kernel_.state()->core().slice()) {
  for (const device::ParameterLayout& parameter : function.parameters())
    parameters_.push_back({parameter.offset, parameter.size});
}

bool LoadedKernelState::can_be_cut() const {
  Cut cut = cut_.load(std::memory_order_acquire);
  if (cut == Cut::not_known) {
    base::run_apart([&] { cut = kernel_.state()->blocks_independent() ? Cut::possible : Cut::impossible; });
    cut_.store(cut, std::memory_order_release);
  }
  return cut == Cut::possible;
}

void LoadedKernelState::keep_whole(const Error& reason) const {
  cut_.store(Cut::impossible, std::memory_order_release);
  base::log_info("launches stay whole: {}", reason.what());
}

namespace {

std::shared_ptr<EventRecord> make_record(Core& core, std::size_t place, bool timed) {
  device::Device& device = core.device(place);
  return std::make_shared<EventRecord>(timed ? device.event() : device.untimed_event());
}

bool is_held(const std::shared_ptr<sched::HeldTask>& task) {
  return task != nullptr && task->state < sched::TaskState::submitted;
}

}  // namespace

EventState::EventState(std::shared_ptr<Core> core, std::size_t place, bool timed)
    : core_(std::move(core)), place_(place), timed_(timed), record_(make_record(*core_, place, timed)) {}

// Where only this event refers to the record that is there, it is used again: nothing waits for it that is held.
std::shared_ptr<EventRecord> EventState::renew() {
  const std::lock_guard lock(mutex_);
  if (record_.use_count() > 1) record_ = make_record(*core_, place_, timed_);
  return record_;
}

bool EventState::done() const {
  if (core_->dispatcher() != nullptr) {
    const base::Lock lock(core_->mutex());
    if (is_held(task())) return false;
  }
  return record()->event->done();
}

void EventState::wait() {
  if (core_->dispatcher() != nullptr) {
    base::Lock lock(core_->mutex());
    const std::shared_ptr<sched::HeldTask> recorder = task();
    if (is_held(recorder)) core_->dispatcher()->wait_until_submitted({&recorder, 1}, lock);
  }
  record()->event->wait();
}

QueueState::QueueState(std::shared_ptr<Core> core, std::size_t place, const QueueOptions& options)
    : core_(std::move(core)),
      partition_(options.processors.empty() ? nullptr : &core_->partition(place, options.processors)),
      queue_(*core_, place, {.priority = options.priority, .partition = partition_}) {
  if (core_->dispatcher() == nullptr) return;
  const base::Lock lock(core_->mutex());
  launch_queue_ = &core_->dispatcher()->add_queue("queue", options.priority);
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
    base::fail(ErrorCode::invalid_argument, "kernel '{}' was loaded for {}, the queue is of {}", kernel.kernel().name(),
               core_->device(kernel.place()).info().id, core_->device(place()).info().id);
  const device::LaunchConfig config{shape.grid, shape.block, shape.shared, shape.cooperative};
  const BlockRange blocks = range ? *range : BlockRange{0, shape.grid.count()};
  if (launch_queue_ != nullptr) return hold_launch(kernel, config, blocks, arguments);
  launch_now(kernel, config, blocks, arguments, range == nullptr);
}

void QueueState::launch_now(const LoadedKernelState& kernel, const device::LaunchConfig& config, BlockRange blocks,
                            std::span<const std::byte> arguments, bool whole) {
  const std::uint64_t slice = config.cooperative || blocks.empty() ? 0 : kernel.slice(blocks.size());
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
  const base::Lock lock(core_->mutex());
  last_ = hold(std::move(work), nullptr);
}

std::shared_ptr<sched::HeldTask> QueueState::hold(std::unique_ptr<sched::Work> work,
                                                  std::shared_ptr<sched::HeldTask> also_after) {
  const std::shared_ptr<sched::HeldTask> parents[] = {last_, std::move(also_after)};
  return core_->dispatcher()->hold_after(*launch_queue_, std::move(work), parents);
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
  last_ = hold(std::make_unique<QueueCommand>(queue_, failure_, std::move(put)), std::move(also_after));
  return last_;
}

void QueueState::record(EventState& event) {
  if (launch_queue_ == nullptr) return queue_.record(event.only_record());
  base::Lock lock(core_->mutex());
  auto record = event.renew();
  event.set_task(hold_command(lock, [this, record] { queue_.record(*record); }));
}

void QueueState::wait(EventState& event) {
  if (launch_queue_ == nullptr) return queue_.wait(event.only_record());
  base::Lock lock(core_->mutex());
  hold_command(lock, [this, record = event.record()] { queue_.wait(*record); }, event.task());
}

void QueueState::wait(std::shared_ptr<const device::Event> event) {
  if (launch_queue_ == nullptr) return queue_.wait(*event);
  base::Lock lock(core_->mutex());
  hold_command(lock, [this, event = std::move(event)] { queue_.wait(*event); });
}

void QueueState::synchronize() {
  std::exception_ptr failure;
  if (launch_queue_ != nullptr) {
    base::Lock lock(core_->mutex());
    if (is_held(last_)) core_->dispatcher()->wait_until_submitted({&last_, 1}, lock);
    failure = std::exchange(failure_.first, nullptr);
  }
  queue_.synchronize();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace runtime

using runtime::held;

bool Event::done() const { return held(state_, "Event").done(); }
void Event::wait() const { held(state_, "Event").wait(); }
std::uint64_t Event::completed_ns() const { return held(state_, "Event").completed_ns(); }

void Queue::launch(const LoadedKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments) const {
  held(state_, "Queue").launch(held(kernel.state(), "LoadedKernel"), shape, arguments, nullptr);
}
void Queue::launch(const LoadedKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
                   const BlockRange& range) const {
  held(state_, "Queue").launch(held(kernel.state(), "LoadedKernel"), shape, arguments, &range);
}
void Queue::copy(const MemorySpan& to, const MemorySpan& from) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.put([to = state.span(to), from = state.span(from)](device::Queue& queue) { queue.copy(to, from); });
}
void Queue::copy(const MemoryBox& to, const MemoryBox& from, const BoxSize& size) const {
  runtime::QueueState& state = held(state_, "Queue");
  const device::BoxExtent extent{size.width, size.height, size.depth};
  state.put(
      [to = state.box(to), from = state.box(from), extent](device::Queue& queue) { queue.copy_box(to, from, extent); });
}
void Queue::fill(const MemorySpan& to, std::uint32_t value, unsigned value_bytes) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.put([to = state.span(to), value, value_bytes](device::Queue& queue) { queue.fill(to, value, value_bytes); });
}
void Queue::fill(const MemoryBox& to, const BoxSize& size, std::uint32_t value, unsigned value_bytes) const {
  runtime::QueueState& state = held(state_, "Queue");
  const device::BoxExtent extent{size.width, size.height, size.depth};
  state.put([to = state.box(to), extent, value, value_bytes](device::Queue& queue) {
    queue.fill_box(to, extent, value, value_bytes);
  });
}
void Queue::record(const Event& event) const { held(state_, "Queue").record(held(event.state(), "Event")); }
void Queue::wait(const Event& event) const { held(state_, "Queue").wait(held(event.state(), "Event")); }
void Queue::wait_until(std::function<bool()> ready) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.wait(std::make_shared<runtime::AskedEvent>(state.watcher(), std::move(ready)));
}
void Queue::call(std::function<void()> function) const {
  held(state_, "Queue").put([function = std::move(function)](device::Queue& queue) { queue.call(function); });
}
void Queue::synchronize() const { held(state_, "Queue").synchronize(); }
int Queue::device() const { return static_cast<int>(held(state_, "Queue").place()); }

MemorySpan Memory::span() const { return held(state_, "Memory").span(); }
void* Memory::host() const { return held(state_, "Memory").host(); }

const Kernel& LoadedKernel::kernel() const { return held(state_, "LoadedKernel").kernel(); }
const std::vector<ParameterPlace>& LoadedKernel::parameters() const {
  return held(state_, "LoadedKernel").parameters();
}
std::uint32_t LoadedKernel::parameter_bytes() const {
  return held(state_, "LoadedKernel").function().parameter_bytes();
}
std::uint64_t LoadedKernel::shared_bytes() const {
  return held(state_, "LoadedKernel").function().static_shared_bytes();
}
void LoadedKernel::prepare(const Dim3& block) const { held(state_, "LoadedKernel").function().prepare(block); }
std::optional<Occupancy> LoadedKernel::whole_occupancy(const Dim3& block, std::uint32_t shared) const {
  return held(state_, "LoadedKernel").function().whole_occupancy(block, shared);
}
std::vector<Occupancy> LoadedKernel::occupancy(const Dim3& block, std::uint32_t shared) const {
  return held(state_, "LoadedKernel").function().occupancy(block, shared);
}

namespace {

device::Device& device_at(const std::shared_ptr<runtime::Core>& core, int number) {
  return held(core, "Device").device(static_cast<std::size_t>(number));
}

Memory memory_of(const std::shared_ptr<runtime::Core>& core, int number, std::unique_ptr<device::Memory> memory) {
  return Memory(std::make_shared<runtime::MemoryState>(core, number, std::move(memory)));
}

runtime::LoadedCode& code_of(const std::shared_ptr<runtime::Core>& core, runtime::LoadedCode& code) {
  if (code.core() != core)
    base::fail(ErrorCode::invalid_argument, "{} was loaded by another runtime than the device's", code.name());
  return code;
}

}  // namespace

DeviceInfo Device::info() const { return runtime::public_info(device_at(core_, number_).info()); }
Memory Device::allocate(std::size_t bytes) const {
  return memory_of(core_, number_, device_at(core_, number_).allocate(bytes));
}
Memory Device::allocate_unpooled(std::size_t bytes) const {
  return memory_of(core_, number_, device_at(core_, number_).allocate_unpooled(bytes));
}
Memory Device::allocate_host(std::size_t bytes) const {
  return memory_of(core_, number_, device_at(core_, number_).allocate_host(bytes));
}
Memory Device::register_host(void* data, std::size_t bytes) const {
  return memory_of(core_, number_, device_at(core_, number_).register_host(data, bytes));
}
AddressMapping* Device::address_mapping() const { return device_at(core_, number_).address_mapping(); }
void Device::enter() const { device_at(core_, number_).enter(); }
std::optional<int> Device::cuda_attribute(int number) const { return device_at(core_, number_).cuda_attribute(number); }
std::uint64_t Device::free_memory() const { return device_at(core_, number_).free_memory(); }

Queue Device::queue(const QueueOptions& options) const {
  held(core_, "Device");
  return Queue(std::make_shared<runtime::QueueState>(core_, static_cast<std::size_t>(number_), options));
}
Event Device::untimed_event() const {
  held(core_, "Device");
  return Event(std::make_shared<runtime::EventState>(core_, static_cast<std::size_t>(number_), false));
}

Event Device::event() const {
  held(core_, "Device");
  return Event(std::make_shared<runtime::EventState>(core_, static_cast<std::size_t>(number_), true));
}

LoadedKernel Device::load(const Kernel& kernel) const {
  runtime::KernelState& state = held(kernel.state(), "Kernel");
  code_of(core_, state.code());
  const auto place = static_cast<std::size_t>(number_);
  return LoadedKernel(std::make_shared<runtime::LoadedKernelState>(kernel, place, state.on(place)));
}

void Device::load(const Module& module, std::span<const std::byte> machine_code,
                  std::span<const PlacedVariable> placed) const {
  runtime::LoadedCode& code = code_of(core_, held(module.state(), "Module").code());
  code.on(static_cast<std::size_t>(number_), machine_code, placed);
}

MemorySpan Device::variable(const Module& module, std::string_view name) const {
  runtime::LoadedCode& code = code_of(core_, held(module.state(), "Module").code());
  const device::Span span = code.on(static_cast<std::size_t>(number_)).variable(name);
  const base::Lock lock(core_->mutex());
  code.let_variables_differ();
  return {number_, span.address, span.size};
}

}  // namespace heddle
