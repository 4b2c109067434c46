#include "device/cpu/cpu_device.hpp"
#include "device/process_limit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/variables.hpp"
#include "device/cpu/event.hpp"
#include "device/cpu/partition.hpp"
#include "device/cpu/queue.hpp"
#include "device/cpu/runtime_calls.hpp"
#include "device/launch_check.hpp"

namespace heddle::device::cpu {
namespace {

constexpr unsigned most_workers = 1024;

unsigned worker_count(const CpuOptions& options, const Topology& topology) {
  if (options.workers > most_workers) {
    base::fail(ErrorCode::invalid_argument, "cpu: {} workers asked for; there can be {}", options.workers,
               most_workers);
  }
  if (options.workers != 0) return options.workers;
  const auto wanted = base::number_variable("HEDDLE_CPU_WORKERS");
  if (wanted) return static_cast<unsigned>(*wanted);
  const unsigned cores = topology.usable_cores();
  return cores - std::min(options.spare_cores, cores / 8);
}

CpuOptions with_defaults(CpuOptions options) {
  options.deadlock_timeout = deadlock_patience(options.deadlock_timeout);
  if (!options.watcher) options.watcher = base::process_watcher();
  return options;
}

std::string vector_name(unsigned bits) { return bits >= 512 ? "AVX-512" : bits >= 256 ? "AVX" : "SSE"; }

std::uint64_t memory_of(const CpuOptions& options, const Topology& topology) {
  if (options.memory_bytes != 0) return options.memory_bytes;
  return std::min(topology.memory_bytes(), process_memory_limit());
}

DeviceInfo make_info(const Topology& topology, unsigned workers, std::uint64_t memory) {
  DeviceInfo info;
  info.id = "cpu";
  info.name = fmt::format("{}, {} worker{}, {}", topology.cpu_name(), workers, workers == 1 ? "" : "s",
                          vector_name(topology.vector_bits()));
  info.processors = workers;
  info.vector_bits = topology.vector_bits();
  info.memory_bytes = memory;
  info.host_memory = info.managed_memory = true;
  return info;
}

}  // namespace

CpuDevice::CpuDevice(const CpuOptions& options, CodeProvider provider, void (*const* soft_functions)())
    : services_(with_defaults(options), memory_of(options, topology_),
                make_runtime_table(soft_functions, worker_count(options, topology_))),
      provider_(std::move(provider)),
      info_(make_info(topology_, services_.runtime.processors, memory_of(options, topology_))),
      pool_(info_.processors, topology_, services_) {}

std::unique_ptr<Memory> CpuDevice::allocate(std::size_t bytes) {
  return std::make_unique<CpuMemory>(this, services_.allocator, bytes);
}

std::unique_ptr<Memory> CpuDevice::allocate_host(std::size_t bytes) {
  auto memory = make_host_memory(bytes);
  void* const data = memory->host();
  return std::make_unique<AdoptedMemory>(services_.allocator, data, bytes, std::move(memory));
}

std::unique_ptr<Memory> CpuDevice::register_host(void* data, std::size_t bytes) {
  if (data == nullptr || bytes == 0) base::fail(ErrorCode::invalid_argument, "cpu: no host memory to register");
  return std::make_unique<AdoptedMemory>(services_.allocator, data, bytes, nullptr);
}

// No more than the limit leaves, and than the machine has now.
std::uint64_t CpuDevice::free_memory() {
  const std::uint64_t used = services_.allocator->used();
  const std::uint64_t left = info_.memory_bytes - std::min(used, info_.memory_bytes);
  return std::min(left, available_memory());
}

std::shared_ptr<Module> CpuDevice::load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) {
  if (module == nullptr) base::fail(ErrorCode::invalid_argument, "cpu: no module given");
  check_module(*module, "the CPU device");
  return std::make_shared<CpuModule>(this, std::move(module), services_.allocator, provider_, options);
}

std::unique_ptr<Queue> CpuDevice::queue(const QueueOptions& options) {
  return std::make_unique<CpuQueue>(*this, pool_, services_, options.priority, workers_of(options.partition));
}

std::unique_ptr<Event> CpuDevice::event() { return std::make_unique<CpuEvent>(pool_, services_.watcher()); }

std::unique_ptr<Partition> CpuDevice::partition(const ProcessorSet& processors) {
  const auto& ids = processors.ids;
  if (ids.empty()) base::fail(ErrorCode::invalid_argument, "cpu: a partition needs at least one worker");
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end()) {
    base::fail(ErrorCode::invalid_argument,
               "cpu: the workers of a partition must be named once each, in ascending order");
  }
  if (ids.back() >= info_.processors) {
    base::fail(ErrorCode::invalid_argument, "cpu: there is no worker {}; they are numbered 0 to {}", ids.back(),
               info_.processors - 1);
  }
  return std::make_unique<CpuPartition>(processors);
}

std::vector<std::string> CpuDevice::heap_blocks() const {
  std::vector<std::string> texts;
  for (const Allocation& block : services_.allocator->heap_blocks())
    texts.push_back(fmt::format("leak: {} of the device heap at {:#x} were not freed{}",
                                base::counted(block.size, "byte"), block.address,
                                block.made_at.empty() ? "" : "; allocated by " + block.made_at));
  return texts;
}

double CpuDevice::measured_bandwidth() {
  std::call_once(bandwidth_once_, [this] {
    constexpr std::size_t wanted = 64 << 20;
    constexpr double budget_seconds = 0.1;
    const std::size_t bytes = std::clamp<std::size_t>(info_.memory_bytes / 16, 1 << 16, wanted);
    const auto a = allocate(bytes), b = allocate(bytes);
    const auto copies = queue({});
    // Touches every page once, which is no part of the figure.
    copies->fill(a->span(), 1, 1);
    copies->copy(b->span(), a->span());
    copies->synchronize();
    const base::Stopwatch total(clock());
    constexpr int least_copies = 5;  // on a busy machine one may be held up
    int copied = 0;
    do {
      const base::Stopwatch one(clock());
      copies->copy(b->span(), a->span());
      copies->synchronize();
      bandwidth_ = std::max(bandwidth_, 2.0 * static_cast<double>(bytes) / one.seconds());
    } while (++copied < least_copies || total.seconds() < budget_seconds);
  });
  return bandwidth_;
}

}  // namespace heddle::device::cpu
