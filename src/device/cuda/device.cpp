#include <array>
#include <cstdio>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/thread_safety.hpp"
#include "device/cuda/address_mapping.hpp"
#include "device/cuda/cuda.hpp"
#include "device/cuda/launch_graph.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/partition.hpp"
#include "device/cuda/pinned.hpp"
#include "device/cuda/progress_flag.hpp"
#include "device/cuda/queue.hpp"
#include "device/launch_check.hpp"

namespace heddle::device::cuda {
namespace {

class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<const Driver> driver, const CudaOptions& options)
      : state_(std::make_shared<DeviceState>(std::move(driver), options.ordinal, options.trace,
                                             options.watcher ? options.watcher : base::process_watcher())),
        partitions_(std::make_shared<PartitionTable>(state_)),
        pools_(std::make_shared<PoolTable>(*this, state_)),
        progress_flags_(std::make_shared<ProgressFlagTable>(*this, state_)) {
    if (options.trace) tracer_ = std::make_unique<Tracer>(state_, *options.trace);
  }

  const DeviceInfo& info() const override { return state_->info(); }
  const base::Clock& clock() const override { return state_->clock(); }

  std::unique_ptr<Memory> allocate(std::size_t bytes) override {
    return std::make_unique<CudaMemory>(*this, state_, bytes);
  }

  std::unique_ptr<Memory> allocate_unpooled(std::size_t bytes) override {
    return std::make_unique<CudaMemory>(*this, state_, bytes, false);
  }

  std::unique_ptr<Memory> allocate_host(std::size_t bytes) override { return make_pinned_memory(state_, bytes); }

  std::unique_ptr<Memory> register_host(void* data, std::size_t bytes) override {
    return register_host_memory(state_, data, bytes);
  }

  AddressMapping* address_mapping() override { return &mapping_; }

  bool lost() const override { return state_->lost(); }

  void enter() override {
    state_->check_lost();
    state_->check(state_->driver().context_set(state_->context()), "choosing the GPU");
  }

  std::optional<int> cuda_attribute(int number) const override {
    int value = 0;
    if (state_->driver().device_attribute(&value, number, state_->number()) != driver::success) return std::nullopt;
    return value;
  }

  std::uint64_t free_memory() override {
    state_->check_lost();
    const DeviceState::Current current(*state_);
    std::size_t free = 0, total = 0;
    state_->check(state_->driver().memory_info(&free, &total), "asking for free memory");
    // What the pool keeps for later is free too.
    const std::uint64_t all = info().memory_bytes, own = state_->allocated_bytes;
    return std::min({std::uint64_t{total}, free + state_->pool_reserve(), all - std::min(all, own)});
  }

  std::shared_ptr<Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) override {
    if (options.check.kernels())
      base::fail(ErrorCode::unsupported,
                 "{} cannot check every access of a kernel; the CPU device and the interpreter can", info().id);
    check_module(*module, info().id);
    refuse_placed(options, info().id);
    check_target(*module);
    return std::make_shared<CudaModule>(*this, state_, std::move(module), options);
  }

  std::unique_ptr<Queue> queue(const QueueOptions& options) override {
    return std::make_unique<CudaQueue>(*this, state_, partitions_, pools_, progress_flags_, tracer_.get(), options);
  }

  std::unique_ptr<Event> event() override { return std::make_unique<CudaEvent>(state_, true); }
  std::unique_ptr<LaunchGraph> launch_graph(std::span<const GraphLaunch> launches) override {
    return std::make_unique<CudaGraph>(state_, launches);
  }
  std::unique_ptr<Event> untimed_event() override { return std::make_unique<CudaEvent>(state_, false); }

  std::unique_ptr<ProgressFlag> progress_flag() override { return progress_flags_->acquire(); }

  std::unique_ptr<Partition> partition(const ProcessorSet& processors) override {
    return partitions_->partition(processors);
  }

  double measured_bandwidth() override {
    const base::Lock lock(mutex_);
    if (bandwidth_ == 0) bandwidth_ = measure();
    return bandwidth_;
  }

 private:
  void run_commands(void (*run)(void* data), void* data) override {
    const DeviceState::Current current(*state_);
    run(data);
  }

  // What is for a newer GPU is refused here: the driver's compiler says so in words that need explaining. (Code for
  // sm_90a and the like runs on exactly that GPU; the driver knows which.)
  void check_target(const ptx::Module& module) const {
    const unsigned own = info().capability;
    for (const std::string& target : module.targets) {
      unsigned wanted = 0;
      if (std::sscanf(target.c_str(), "sm_%u", &wanted) != 1 || wanted <= own) continue;
      base::fail(ErrorCode::unsupported, "the module is for GPUs of {} and later (.target); {} is an sm_{}", target,
                 info().id, own);
    }
  }

  // The best of a few copies of an eighth of the free memory, at most 1 GiB, from one half to the other.
  double measure() {
    const DeviceState::Current current(*state_);
    const Driver& cuda = state_->driver();
    std::size_t free = 0, total = 0;
    state_->check(cuda.memory_info(&free, &total), "asking for free memory");
    const std::size_t bytes = std::min<std::size_t>(free / 16, std::size_t{512} << 20) & ~std::size_t{4095};
    const CudaMemory memory(*this, state_, 2 * bytes);
    const std::uint64_t from = memory.span().address, to = from + bytes;
    const driver::Stream stream = state_->service_stream();
    CudaPoint begin(state_, true), end(state_, true);
    double best = 0;
    for (int round = 0; round < 6; ++round) {
      state_->check(cuda.event_record(begin.handle(), stream), "recording an event");
      state_->check(cuda.copy_async(to, from, bytes, stream), "copying");
      state_->check(cuda.event_record(end.handle(), stream), "recording an event");
      state_->check(cuda.event_synchronize(end.handle()), "copying");
      float ms = 0;
      state_->check(cuda.event_elapsed(&ms, begin.handle(), end.handle()), "timing a copy");
      if (ms > 0) best = std::max(best, 2.0 * static_cast<double>(bytes) / (double{ms} * 1e-3));
    }
    return best;
  }

  std::shared_ptr<DeviceState> state_;
  CudaAddressMapping mapping_{state_};
  std::shared_ptr<PartitionTable> partitions_;
  std::shared_ptr<PoolTable> pools_;
  std::shared_ptr<ProgressFlagTable> progress_flags_;
  std::unique_ptr<Tracer> tracer_;
  base::Mutex mutex_;
  double bandwidth_ = 0;
};

}  // namespace

int cuda_device_count(std::string* why) {
  const auto driver = Driver::find();
  int count = 0;
  if (driver) driver->device_count(&count);
  if (count == 0 && why) *why = driver ? "the NVIDIA driver sees no GPU" : Driver::why();
  return count;
}

std::unique_ptr<Device> make_cuda_device(const CudaOptions& options) {
  std::string why;
  const int count = cuda_device_count(&why);
  if (count == 0) base::fail(ErrorCode::not_found, "there is no GPU: {}", why);
  if (options.ordinal < 0 || options.ordinal >= count)
    base::fail(ErrorCode::not_found, "there is no GPU cuda:{}; there are cuda:0 to cuda:{}", options.ordinal,
               count - 1);
  return std::make_unique<CudaDevice>(Driver::find(), options);
}

}  // namespace heddle::device::cuda
