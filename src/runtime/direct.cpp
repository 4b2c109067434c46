#include "runtime/direct.hpp"

#include <algorithm>
#include <utility>

#include "base/apart.hpp"
#include "base/fail.hpp"
#include "base/log.hpp"
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

QueueState::QueueState(std::shared_ptr<Core> core, std::size_t place, const QueueOptions& options)
    : core_(std::move(core)), place_(place) {
  device::Device& device = core_->device(place);
  const device::Partition* partition = nullptr;
  if (!options.processors.empty()) partition = &core_->partition(place, options.processors);
  queue_ = device.queue({.priority = options.priority, .partition = partition});
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
  if (kernel.place() != place_)
    base::fail(ErrorCode::invalid_argument, "kernel '{}' was loaded for {}, the queue is of {}", kernel.kernel().name(),
               core_->device(kernel.place()).info().id, core_->device(place_).info().id);
  const device::LaunchConfig config{shape.grid, shape.block, shape.shared, shape.cooperative};
  const BlockRange blocks = range ? *range : BlockRange{0, shape.grid.count()};
  const std::uint64_t slice = shape.cooperative || blocks.empty() ? 0 : kernel.slice(blocks.size());
  const std::lock_guard lock(mutex_);
  const Traced traced(*this);
  if (slice != 0) {
    try {
      return queue_->launch_parts(kernel.function(), config, blocks, slice, arguments);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported || range) throw;
      kernel.keep_whole(error);
    }
  }
  queue_->launch(kernel.function(), config, blocks, arguments);
}

void QueueState::begin_task() {
  trace::RecordedTask task;
  task.behind = behind();
  task.waits = std::exchange(awaited_, {});
  task.by_streams = true;
  last_task_ = core_->trace()->begin_task(std::move(task));
}

std::vector<std::uint64_t> QueueState::behind() const {
  std::vector<std::uint64_t> tasks = awaited_;
  if (last_task_ != 0) tasks.push_back(last_task_);
  return tasks;
}

void QueueState::record(EventState& event) {
  const std::lock_guard lock(mutex_);
  queue_->record(event.event());
  if (core_->trace()) event.set_behind(behind());
}

void QueueState::wait(EventState& event) {
  const std::lock_guard lock(mutex_);
  queue_->wait(event.event());
  if (!core_->trace()) return;
  for (const std::uint64_t task : event.behind())
    if (task != last_task_ && std::find(awaited_.begin(), awaited_.end(), task) == awaited_.end())
      awaited_.push_back(task);
}

void QueueState::wait(const device::Event& event) {
  const std::lock_guard lock(mutex_);
  queue_->wait(event);
}

// Without the lock while it waits: others may put commands in meanwhile.
void QueueState::synchronize() {
  std::unique_ptr<device::Event> end;
  {
    const std::lock_guard lock(mutex_);
    if (queue_->idle()) return;
    if (spare_.empty()) {
      end = core_->device(place_).untimed_event();
    } else {
      end = std::move(spare_.back());
      spare_.pop_back();
    }
    queue_->record(*end);
  }
  try {
    end->wait();
  } catch (const Error&) {
    // The failure is being told now; later commands must not be skipped for it.
    const std::lock_guard lock(mutex_);
    try {
      queue_->synchronize();
    } catch (const Error&) {  // the same failure
    }
    throw;
  }
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(end));
}

}  // namespace runtime

using runtime::held;

bool Event::done() const { return held(state_, "Event").event().done(); }
void Event::wait() const { held(state_, "Event").event().wait(); }
std::uint64_t Event::completed_ns() const { return held(state_, "Event").event().completed_ns(); }

void Queue::launch(const LoadedKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments) const {
  held(state_, "Queue").launch(held(kernel.state(), "LoadedKernel"), shape, arguments, nullptr);
}
void Queue::launch(const LoadedKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
                   const BlockRange& range) const {
  held(state_, "Queue").launch(held(kernel.state(), "LoadedKernel"), shape, arguments, &range);
}
void Queue::copy(const MemorySpan& to, const MemorySpan& from) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.put([&](device::Queue& queue) { queue.copy(state.span(to), state.span(from)); });
}
void Queue::copy(const MemoryBox& to, const MemoryBox& from, const BoxSize& size) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.put([&](device::Queue& queue) {
    queue.copy_box(state.box(to), state.box(from), {size.width, size.height, size.depth});
  });
}
void Queue::fill(const MemorySpan& to, std::uint32_t value, unsigned value_bytes) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.put([&](device::Queue& queue) { queue.fill(state.span(to), value, value_bytes); });
}
void Queue::fill(const MemoryBox& to, const BoxSize& size, std::uint32_t value, unsigned value_bytes) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.put([&](device::Queue& queue) {
    queue.fill_box(state.box(to), {size.width, size.height, size.depth}, value, value_bytes);
  });
}
void Queue::record(const Event& event) const { held(state_, "Queue").record(held(event.state(), "Event")); }
void Queue::wait(const Event& event) const { held(state_, "Queue").wait(held(event.state(), "Event")); }
void Queue::wait_until(std::function<bool()> ready) const {
  runtime::QueueState& state = held(state_, "Queue");
  state.wait(runtime::AskedEvent(state.watcher(), std::move(ready)));
}
void Queue::call(std::function<void()> function) const {
  held(state_, "Queue").put([&](device::Queue& queue) { queue.call(std::move(function)); });
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
  return Event(std::make_shared<runtime::EventState>(core_, device_at(core_, number_).untimed_event()));
}

Event Device::event() const {
  return Event(std::make_shared<runtime::EventState>(core_, device_at(core_, number_).event()));
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
