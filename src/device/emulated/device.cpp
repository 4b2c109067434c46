#include "device/emulated/device.hpp"
#include "device/process_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "device/emulated/memory.hpp"
#include "device/emulated/partition.hpp"
#include "device/emulated/queue.hpp"
#include "device/host_memory.hpp"
#include "device/launch_check.hpp"
#include "ptx/rewrite/expand_matrices.hpp"

namespace heddle::device::emulated {

EmulatedDevice::EmulatedDevice(std::shared_ptr<DeviceState> state, DeviceInfo info)
    : state_(std::move(state)), info_(std::move(info)) {
  info_.memory_bytes =
      std::min(static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
               process_memory_limit());
}

std::unique_ptr<Memory> EmulatedDevice::allocate(std::size_t bytes) {
  const std::uint64_t used = state_->allocated_bytes.load();
  if (bytes > info_.memory_bytes || used > info_.memory_bytes - bytes)
    base::fail(ErrorCode::out_of_memory, "{}: no memory for an allocation of {}: of {}, this process holds {}",
               info_.id, base::format_bytes(bytes), base::format_bytes(info_.memory_bytes), base::format_bytes(used));
  return emulated::allocate(*this, state_, bytes);
}

std::unique_ptr<Memory> EmulatedDevice::allocate_host(std::size_t bytes) {
  auto memory = make_host_memory(bytes);
  void* const data = memory->host();
  return adopt(state_, data, bytes, std::move(memory));
}

std::unique_ptr<Memory> EmulatedDevice::register_host(void* data, std::size_t bytes) {
  if (!data || bytes == 0) base::fail(ErrorCode::invalid_argument, "{}: no host memory to register", info_.id);
  return adopt(state_, data, bytes, nullptr);
}

// No more than the limit leaves, and than the machine has now.
std::uint64_t EmulatedDevice::free_memory() {
  const std::uint64_t used = state_->allocated_bytes.load();
  const std::uint64_t left = info_.memory_bytes - std::min(used, info_.memory_bytes);
  return std::min(
      left, static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

// Every access is checked whatever options.check says.
std::shared_ptr<Module> EmulatedDevice::load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) {
  if (options.check.race || options.check.init || options.check.sync)
    base::fail(ErrorCode::unsupported,
               "{} checks accesses to memory only (--check=memory); the CPU device looks for {}",
               state_->engine->name(), options.check.names());
  check_module(*module, state_->engine->name());
  if (ptx::moves_matrices(*module)) {
    auto expanded = std::make_shared<ptx::Module>(*module);
    ptx::expand_matrices(*expanded);
    module = std::move(expanded);
  }
  return std::make_shared<LoadedModule>(*this, state_, state_->engine->ordered(std::move(module)), options.placed);
}

std::unique_ptr<Queue> EmulatedDevice::queue(const QueueOptions& options) {
  auto queue = std::make_unique<CommandQueue>(*this, state_, options.priority);
  queue->set_partition(options.partition);
  return queue;
}

std::unique_ptr<Event> EmulatedDevice::event() { return std::make_unique<QueueEvent>(state_->watcher); }

std::unique_ptr<Partition> EmulatedDevice::partition(const ProcessorSet& processors) {
  const auto& ids = processors.ids;
  const bool ascending = std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<unsigned>{}) == ids.end();
  if (ids.empty() || !ascending || ids.back() >= info_.processors)
    base::fail(ErrorCode::invalid_argument,
               "{} has {}, numbered from 0; a partition holds one or more of them, in ascending order",
               state_->engine->name(), base::counted(info_.processors, "processor"));
  return std::make_unique<EmulatedPartition>(*this, processors);
}

// The bytes lie in memory of the host, whose rate this is.
double EmulatedDevice::measured_bandwidth() {
  std::call_once(measured_, [&] {
    constexpr std::size_t bytes = 32 << 20;
    std::vector<char> from(bytes, 1), to(bytes, 2);
    const base::Stopwatch watch(state_->watcher->clock());
    unsigned rounds = 0;
    while (watch.seconds() < 0.05) {
      std::memcpy(to.data(), from.data(), bytes);
      from[rounds++ % bytes] = to[0];
    }
    bandwidth_ = 2.0 * static_cast<double>(bytes) * rounds / watch.seconds();
  });
  return bandwidth_;
}

}  // namespace heddle::device::emulated
