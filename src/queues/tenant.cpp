// The handle of a tenant (heddle/tenant.hpp).
#include "heddle/tenant.hpp"

#include <utility>

#include "base/fail.hpp"
#include "core/tenant_state.hpp"
#include "queues/memory.hpp"
#include "queues/queue.hpp"
#include "runtime/held.hpp"
#include "runtime/kernel_state.hpp"
#include "runtime/launch.hpp"

namespace heddle {
namespace {

// The device's place; the device must be of the tenant's runtime.
std::size_t place_of(const core::TenantState& state, const Device& device) {
  if (!device.is_of(state.core()))
    base::fail(ErrorCode::invalid_argument, "tenant '{}' belongs to another runtime than the device",
               state.options().name);
  return static_cast<std::size_t>(device.number());
}

}  // namespace

TenantOptions Tenant::options() const { return runtime::held(state_, "Tenant").options(); }
void Tenant::set(const TenantOptions& options) const { runtime::held(state_, "Tenant").set(options); }

Launch Tenant::launch_list(const Kernel& kernel, const LaunchOptions& options,
                           std::span<const Argument> arguments) const {
  core::TenantState& state = runtime::held(state_, "Tenant");
  runtime::held(kernel.state(), "Kernel");
  return Launch(runtime::launch(*state.core(), kernel.state(), options, arguments, state.queue()));
}

Queue Tenant::queue(const Device& device, const QueueOptions& options) const {
  core::TenantState& state = runtime::held(state_, "Tenant");
  return Queue(std::make_shared<queues::QueueState>(state.core(), place_of(state, device), options, state_));
}

Memory Tenant::allocate(const Device& device, std::size_t bytes) const {
  core::TenantState& state = runtime::held(state_, "Tenant");
  const std::size_t place = place_of(state, device);
  state.take_memory(place, bytes);
  try {
    auto memory = std::make_unique<queues::MemoryState>(state.core(), device.number(),
                                                        state.core()->device(place).allocate(bytes));
    return Memory(std::shared_ptr<queues::MemoryState>(memory.release(),
                                                       [tenant = state_, place, bytes](queues::MemoryState* freed) {
                                                         delete freed;
                                                         tenant->give_memory(place, bytes);
                                                       }));
  } catch (...) {
    state.give_memory(place, bytes);
    throw;
  }
}

}  // namespace heddle
