// The handles of the explicit level: heddle::Device, Queue, Event, Memory and LoadedKernel.
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/mapped_memory.hpp"
#include "core/core.hpp"
#include "core/device_info.hpp"
#include "heddle/device.hpp"
#include "queues/event.hpp"
#include "queues/loaded_kernel.hpp"
#include "queues/memory.hpp"
#include "queues/queue.hpp"
#include "runtime/held.hpp"
#include "runtime/kernel_state.hpp"
#include "runtime/module_state.hpp"

namespace heddle {

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
  queues::QueueState& state = held(state_, "Queue");
  state.put([to = state.span(to), from = state.span(from)](device::Queue& queue) { queue.copy(to, from); });
}
void Queue::copy(const MemoryBox& to, const MemoryBox& from, const BoxSize& size) const {
  queues::QueueState& state = held(state_, "Queue");
  const device::BoxExtent extent{size.width, size.height, size.depth};
  state.put(
      [to = state.box(to), from = state.box(from), extent](device::Queue& queue) { queue.copy_box(to, from, extent); });
}
void Queue::fill(const MemorySpan& to, std::uint32_t value, unsigned value_bytes) const {
  queues::QueueState& state = held(state_, "Queue");
  state.put([to = state.span(to), value, value_bytes](device::Queue& queue) { queue.fill(to, value, value_bytes); });
}
void Queue::fill(const MemoryBox& to, const BoxSize& size, std::uint32_t value, unsigned value_bytes) const {
  queues::QueueState& state = held(state_, "Queue");
  const device::BoxExtent extent{size.width, size.height, size.depth};
  state.put([to = state.box(to), extent, value, value_bytes](device::Queue& queue) {
    queue.fill_box(to, extent, value, value_bytes);
  });
}
void Queue::record(const Event& event) const { held(state_, "Queue").record(held(event.state(), "Event")); }
void Queue::wait(const Event& event) const { held(state_, "Queue").wait(held(event.state(), "Event")); }
void Queue::wait_until(std::function<bool()> ready) const {
  queues::QueueState& state = held(state_, "Queue");
  state.wait(std::make_shared<queues::ConditionEvent>(state.watcher(), std::move(ready)));
}
void Queue::call(std::function<void()> function) const { held(state_, "Queue").call(std::move(function)); }
void Queue::synchronize() const { held(state_, "Queue").synchronize(); }
void Queue::clear_failure() const { held(state_, "Queue").clear_failure(); }
bool Queue::full() const { return held(state_, "Queue").full(); }
void Queue::wait_for_room() const { held(state_, "Queue").wait_for_room(); }
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

device::Device& device_at(const std::shared_ptr<core::Core>& core, int number) {
  return held(core, "Device").device(static_cast<std::size_t>(number));
}

Memory memory_of(const std::shared_ptr<core::Core>& core, int number, std::unique_ptr<device::Memory> memory) {
  return Memory(std::make_shared<queues::MemoryState>(core, number, std::move(memory)));
}

runtime::LoadedCode& code_of(const std::shared_ptr<core::Core>& core, runtime::LoadedCode& code) {
  if (code.core() != core)
    base::fail(ErrorCode::invalid_argument, "{} was loaded by another runtime than the device's", code.name());
  return code;
}

}  // namespace

DeviceInfo Device::info() const { return core::public_info(device_at(core_, number_).info()); }
unsigned Device::own_processors() const {
  device_at(core_, number_);
  return core_->own_processors(static_cast<std::size_t>(number_));
}
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
  if (!base::is_mapped(data, bytes))
    base::fail(ErrorCode::invalid_argument,
               "{} of host memory at {} cannot be registered: there is no memory at a part of these addresses, or it "
               "cannot be read",
               base::counted(bytes, "byte"), data);
  return memory_of(core_, number_, device_at(core_, number_).register_host(data, bytes));
}
AddressMapping* Device::address_mapping() const { return device_at(core_, number_).address_mapping(); }
TextureTable* Device::textures() const { return device_at(core_, number_).textures(); }
void Device::enter() const { device_at(core_, number_).enter(); }
std::optional<int> Device::cuda_attribute(int number) const { return device_at(core_, number_).cuda_attribute(number); }
std::uint64_t Device::free_memory() const { return device_at(core_, number_).free_memory(); }

Queue Device::queue(const QueueOptions& options) const {
  held(core_, "Device");
  return Queue(std::make_shared<queues::QueueState>(core_, static_cast<std::size_t>(number_), options));
}
Event Device::untimed_event() const {
  held(core_, "Device");
  return Event(std::make_shared<queues::EventState>(core_, static_cast<std::size_t>(number_), false));
}

Event Device::event() const {
  held(core_, "Device");
  return Event(std::make_shared<queues::EventState>(core_, static_cast<std::size_t>(number_), true));
}

LoadedKernel Device::load(const Kernel& kernel) const {
  runtime::KernelState& state = held(kernel.state(), "Kernel");
  code_of(core_, state.code());
  const auto place = static_cast<std::size_t>(number_);
  return LoadedKernel(std::make_shared<queues::LoadedKernelState>(kernel, place, state.on(place)));
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
