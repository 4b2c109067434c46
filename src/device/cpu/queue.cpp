#include "device/cpu/queue.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/copy_way.hpp"
#include "device/cpu/data_job.hpp"
#include "device/cpu/event.hpp"
#include "device/cpu/launch_job.hpp"
#include "device/cpu/launch_work.hpp"
#include "device/cpu/module.hpp"
#include "device/cpu/partition.hpp"
#include "device/cpu/pool.hpp"
#include "device/cpu/services.hpp"
#include "device/device.hpp"
#include "device/launch_check.hpp"

namespace heddle::device::cpu {
namespace {

// Below this a copy takes less time than handing it to a worker.
constexpr std::size_t inline_bytes = 32 * 1024;

bool global_id_fits(const LaunchConfig& config) {
  constexpr std::uint64_t limit = 1ull << 31;
  return std::uint64_t{config.grid.x} * config.block.x < limit &&
         std::uint64_t{config.grid.y} * config.block.y < limit && std::uint64_t{config.grid.z} * config.block.z < limit;
}

}  // namespace

CpuQueue::CpuQueue(Device& device, Pool& pool, Services& services, int priority, WorkerSet workers)
    : device_(device),
      pool_(pool),
      services_(services),
      core_(std::make_shared<QueueCore>(pool, services, services.next_number(), priority, std::move(workers))),
      drained_(std::make_shared<EventState>()) {}

CpuQueue::~CpuQueue() { drain(); }

void CpuQueue::drain() {
  core_->record_end(drained_);
  EventTarget target(*drained_);
  pool_.wait(target);
}

namespace {

CpuFunction& cpu_function(Function& function) {
  auto* kernel = dynamic_cast<CpuFunction*>(&function);
  if (kernel == nullptr) {
    base::fail(ErrorCode::invalid_argument, "kernel '{}' was loaded on another device than this queue's",
               base::demangled(function.ptx().name));
  }
  refuse_clusters(kernel->ptx(), "the CPU device");
  return *kernel;
}

// Throws invalid_argument when the blocks of a cooperative launch cannot all be resident at once.
void check_cooperative(const Pool& pool, const CpuFunction& function, const KernelCode& code,
                       const LaunchConfig& config, BlockRange range, const WorkerSet& workers) {
  if (code.shape == Shape::direct) return;  // its blocks wait for nothing
  const auto threads = static_cast<unsigned>(config.block.count());
  const unsigned fibers = (threads + code.width - 1) / code.width;
  const unsigned members = workers.all() ? pool.size() : workers.count(pool.size());
  const std::uint64_t most = std::uint64_t{pool.cooperative_share_of(fibers) / fibers} * members;
  if (range.size() > most) {
    base::fail(
        ErrorCode::invalid_argument,
        "kernel '{}': a cooperative launch of {} blocks of {} threads is too large; {} such blocks can be under way "
        "at once",
        base::demangled(function.ptx().name), range.size(), threads, most);
  }
}

class CpuStoppableLaunch final : public StoppableLaunch {
 public:
  CpuStoppableLaunch(std::shared_ptr<LaunchJob> job, std::uint64_t end) : job_(std::move(job)), end_(end) {}
  void stop() override { job_->stop(); }
  BlockRange rest() const override { return {job_->first_cancelled(), end_}; }

 private:
  std::shared_ptr<LaunchJob> job_;
  std::uint64_t end_;
};

}  // namespace

void CpuQueue::launch(Function& function, const LaunchConfig& config, BlockRange range,
                      std::span<const std::byte> arguments) {
  CpuFunction& kernel = cpu_function(function);
  check_launch(device_.info(), kernel, config, range, arguments.size());
  if (auto job = make_job(kernel, config, range, arguments)) core_->submit(std::move(job));
}

std::shared_ptr<StoppableLaunch> CpuQueue::launch_stoppable(Function& function, const LaunchConfig& config,
                                                            BlockRange range, std::span<const std::byte> arguments,
                                                            unsigned) {
  CpuFunction& kernel = cpu_function(function);
  check_stoppable(device_.info(), kernel, config, range, arguments.size());
  auto job = make_job(kernel, config, range, arguments);
  if (!job) return std::make_shared<StopFlag>(range);
  auto launch = std::make_shared<CpuStoppableLaunch>(job, range.end);
  core_->submit(std::move(job));
  return launch;
}

// Null for an empty range.
std::shared_ptr<LaunchJob> CpuQueue::make_job(CpuFunction& kernel, const LaunchConfig& config, BlockRange range,
                                              std::span<const std::byte> arguments) {
  LaunchJob::Setup setup;
  setup.config = config;
  setup.asked_block = config.block;
  setup.config.block = kernel.distinct(config.block);
  setup.code = kernel.code(setup.config.block, global_id_fits(config));
  if (config.cooperative) check_cooperative(pool_, kernel, *setup.code, config, range, core_->workers());
  if (range.empty()) return nullptr;
  setup.module = &kernel.module();
  setup.kernel = &kernel.ptx();
  setup.unit = &kernel.kernel_unit();
  setup.variables = kernel.variables();
  setup.footprint = footprint_;
  setup.checks = kernel.checks();
  setup.place = &kernel.place();
  setup.written = kernel.written();
  setup.range = range;
  setup.arguments = arguments;
  setup.queue_id = core_->id();
  setup.command = services_.next_number();
  return std::make_shared<LaunchWork>(setup, services_);
}

void CpuQueue::check_span(const Span& span, const char* what) const {
  if (span.size == 0) return;
  if (span.address == 0) base::fail(ErrorCode::invalid_argument, "the {} of a copy or fill is a null pointer", what);
  if (span.device == nullptr) return;
  if (span.device == &device_) {
    if (!services_.allocator->contains(span.address, span.size)) {
      base::fail(ErrorCode::invalid_argument,
                 "the {} of a copy or fill, {} at {:#x}, is not within one allocation: "
                 "it begins {}",
                 what, base::counted(span.size, "byte"), span.address, services_.allocator->whereabouts(span.address));
    }
    return;
  }
  if (!span.device->info().host_memory) {
    base::fail(ErrorCode::unsupported,
               "the {} of a copy is memory of device '{}', which the CPU cannot reach; use a "
               "queue of that device",
               what, span.device->info().id);
  }
}

void CpuQueue::copy(Span destination, Span source) {
  if (destination.size < source.size) {
    base::fail(ErrorCode::invalid_argument, "a copy of {} does not fit into its destination of {}",
               base::counted(source.size, "byte"), base::counted(destination.size, "byte"));
  }
  destination.size = source.size;
  check_span(destination, "destination");
  check_span(source, "source");
  if (source.size == 0) return;
  auto* to = reinterpret_cast<std::byte*>(destination.address);
  const auto* from = reinterpret_cast<const std::byte*>(source.address);
  const auto at_once = [&] {
    copy_bytes(to, from, source.size, false);
    note_copied(services_, to, from, source.size);
  };
  if (source.size <= inline_bytes && services_.trace() == nullptr && core_->run_inline(at_once)) return;
  auto job = std::make_shared<CopyJob>(to, from, source.size, core_->id(), services_.next_number(), services_);
  job->set_way(way_of_copy(destination.device, source.device));
  core_->submit(std::move(job));
}

void CpuQueue::copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) {
  const Span to = span_of(destination, extent, "the destination of a copy"),
             from = span_of(source, extent, "the source of a copy");
  if (is_contiguous(destination, extent) && is_contiguous(source, extent)) return copy(to, from);
  check_span(to, "destination");
  check_span(from, "source");
  if (extent.empty()) return;
  const bool overlap = to.address < from.address + from.size && from.address < to.address + to.size;
  auto job = std::make_shared<BoxJob>(
      base::TraceEvent::Kind::copy, extent, overlap,
      [destination, source, extent, &services = services_](std::size_t row) {
        auto* const row_to = reinterpret_cast<std::byte*>(row_address(destination, extent, row));
        const auto* const row_from = reinterpret_cast<const std::byte*>(row_address(source, extent, row));
        copy_bytes(row_to, row_from, extent.width, false);
        note_copied(services, row_to, row_from, extent.width);
      },
      core_->id(), services_.next_number(), services_);
  job->set_way(way_of_copy(destination.device, source.device));
  core_->submit(std::move(job));
}

namespace {

void check_value(std::size_t bytes, unsigned value_bytes) {
  if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4)
    base::fail(ErrorCode::invalid_argument, "a fill value has 1, 2 or 4 bytes, not {}", value_bytes);
  if (bytes % value_bytes != 0)
    base::fail(ErrorCode::invalid_argument, "{} cannot be filled with values of {}", base::counted(bytes, "byte"),
               base::counted(value_bytes, "byte"));
}

}  // namespace

void CpuQueue::fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                        unsigned value_bytes) {
  check_value(extent.width, value_bytes);
  const Span to = span_of(destination, extent, "the destination of a fill");
  if (is_contiguous(destination, extent)) return fill(to, value, value_bytes);
  check_span(to, "destination");
  if (extent.empty()) return;
  core_->submit(std::make_shared<BoxJob>(
      base::TraceEvent::Kind::fill, extent, false,
      [destination, extent, value, value_bytes, &services = services_](std::size_t row) {
        auto* const row_to = reinterpret_cast<std::byte*>(row_address(destination, extent, row));
        fill_bytes(row_to, extent.width, value, value_bytes);
        note_filled(services, row_to, extent.width);
      },
      core_->id(), services_.next_number(), services_));
}

void CpuQueue::fill(Span destination, std::uint32_t value, unsigned value_bytes) {
  check_value(destination.size, value_bytes);
  check_span(destination, "destination");
  if (destination.size == 0) return;
  auto* to = reinterpret_cast<std::byte*>(destination.address);
  const auto at_once = [&] {
    fill_bytes(to, destination.size, value, value_bytes);
    note_filled(services_, to, destination.size);
  };
  if (destination.size <= inline_bytes && services_.trace() == nullptr && core_->run_inline(at_once)) return;
  core_->submit(std::make_shared<FillJob>(to, destination.size, value, value_bytes, core_->id(),
                                          services_.next_number(), services_));
}

void CpuQueue::set_partition(const Partition* partition) { core_->set_workers(workers_of(partition)); }

void CpuQueue::record(Event& event) {
  auto* mine = dynamic_cast<CpuEvent*>(&event);
  if (mine == nullptr)
    base::fail(ErrorCode::invalid_argument, "an event can only be recorded in a queue of its own device");
  core_->record(mine->state_for(*core_));
}

void CpuQueue::wait(const Event& event) {
  if (const auto* mine = dynamic_cast<const CpuEvent*>(&event)) {
    core_->wait(mine->state());
  } else if (auto point = event.point()) {
    core_->wait_foreign(std::move(point));
  }
}

void CpuQueue::call(std::function<void()> function) {
  core_->submit(std::make_shared<CallJob>(std::move(function), core_->id(), services_.next_number(), services_));
}

void CpuQueue::synchronize() {
  drain();
  services_.flush();
  if (const std::exception_ptr failure = core_->take_failure()) std::rethrow_exception(failure);
}

}  // namespace heddle::device::cpu
