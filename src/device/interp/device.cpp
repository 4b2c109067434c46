#include <unistd.h>

#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "device/host_memory.hpp"
#include "device/interp/interp.hpp"
#include "device/interp/queue.hpp"
#include "device/launch_check.hpp"

namespace heddle::device::interp {

void TurnLock::lock() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = next_++;
  changed_.wait(lock, [&] { return serving_ == mine; });
}

void TurnLock::unlock() {
  {
    std::lock_guard lock(mutex_);
    ++serving_;
  }
  changed_.notify_all();
}

namespace {

constexpr std::size_t memory_alignment = 256;

class InterpMemory final : public Memory {
 public:
  InterpMemory(Device& device, std::shared_ptr<DeviceState> state, std::size_t bytes)
      : device_(device), state_(std::move(state)), bytes_(bytes) {
    data_ = ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t{memory_alignment}, std::nothrow);
    if (!data_) base::fail(ErrorCode::out_of_memory, "no memory for an allocation of {}", base::counted(bytes, "byte"));
    state_->machine.memory.add({machine::Allocation::Kind::memory, address(), bytes, ""});
  }
  ~InterpMemory() override {
    state_->machine.memory.remove(address());
    ::operator delete(data_, std::align_val_t{memory_alignment});
  }
  InterpMemory(const InterpMemory&) = delete;
  InterpMemory& operator=(const InterpMemory&) = delete;
  Span span() const override { return {&device_, address(), bytes_}; }
  void* host() const override { return data_; }
  void guard() override { state_->machine.memory.guard(address()); }

 private:
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data_); }
  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

// Host memory that kernels may use, for as long as it lives.
class AdoptedMemory final : public Memory {
 public:
  AdoptedMemory(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes, std::unique_ptr<Memory> owner)
      : state_(std::move(state)), data_(data), bytes_(bytes), owner_(std::move(owner)) {
    if (!state_->machine.memory.add_if_disjoint({machine::Allocation::Kind::host, address(), bytes, ""}))
      base::fail(ErrorCode::invalid_argument,
                 "interp: part of the {} at {:#x} cannot be registered, as it is known already",
                 base::counted(bytes, "byte"), address());
  }
  ~AdoptedMemory() override { state_->machine.memory.remove(address()); }
  AdoptedMemory(const AdoptedMemory&) = delete;
  AdoptedMemory& operator=(const AdoptedMemory&) = delete;
  Span span() const override { return Span::host(data_, bytes_); }
  void* host() const override { return data_; }
  void guard() override { state_->machine.memory.guard(address()); }

 private:
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data_); }
  std::shared_ptr<DeviceState> state_;
  void* data_;
  std::size_t bytes_;
  std::unique_ptr<Memory> owner_;
};

class InterpPartition final : public Partition {
 public:
  explicit InterpPartition(ProcessorSet set) : set_(std::move(set)) {}
  const ProcessorSet& processors() const override { return set_; }

 private:
  ProcessorSet set_;
};

class InterpDevice final : public Device {
 public:
  explicit InterpDevice(InterpOptions options) : state_(std::make_shared<DeviceState>(std::move(options))) {
    info_.id = "interp";
    info_.name = "PTX interpreter";
    info_.processors = 1;
    info_.managed_memory = true;
    info_.verifies = true;
    info_.memory_bytes =
        static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }

  const DeviceInfo& info() const override { return info_; }
  const base::Clock& clock() const override { return state_->clock(); }

  std::unique_ptr<Memory> allocate(std::size_t bytes) override {
    if (bytes > info_.memory_bytes)
      base::fail(ErrorCode::out_of_memory, "an allocation of {}; the machine has {}", base::counted(bytes, "byte"),
                 info_.memory_bytes);
    return std::make_unique<InterpMemory>(*this, state_, bytes);
  }

  std::unique_ptr<Memory> allocate_host(std::size_t bytes) override {
    auto memory = make_host_memory(bytes);
    void* const data = memory->host();
    return std::make_unique<AdoptedMemory>(state_, data, bytes, std::move(memory));
  }

  std::unique_ptr<Memory> register_host(void* data, std::size_t bytes) override {
    if (!data || bytes == 0) base::fail(ErrorCode::invalid_argument, "interp: no host memory to register");
    return std::make_unique<AdoptedMemory>(state_, data, bytes, nullptr);
  }

  std::uint64_t free_memory() override {
    return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }

  // Every access is checked whatever options.check says.
  std::shared_ptr<Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) override {
    if (options.check.race || options.check.init || options.check.sync)
      base::fail(ErrorCode::unsupported,
                 "the interpreter checks accesses to memory only (--check=memory); the CPU device looks for {}",
                 options.check.names());
    check_module(*module, "the interpreter");
    return std::make_shared<LoadedModule>(*this, state_, std::move(module), options.placed);
  }

  std::unique_ptr<Queue> queue(const QueueOptions&) override { return std::make_unique<InterpQueue>(*this, state_); }
  std::unique_ptr<Event> event() override { return std::make_unique<InterpEvent>(state_->options.watcher); }

  std::unique_ptr<Partition> partition(const ProcessorSet& processors) override {
    if (processors.ids != std::vector<unsigned>{0})
      base::fail(ErrorCode::invalid_argument,
                 "the interpreter has one processor, number 0; a partition can hold that one only");
    return std::make_unique<InterpPartition>(processors);
  }

  double measured_bandwidth() override {
    std::call_once(measured_, [&] {
      constexpr std::size_t bytes = 32 << 20;
      std::vector<char> from(bytes, 1), to(bytes, 2);
      const base::Stopwatch watch(clock());
      unsigned rounds = 0;
      while (watch.seconds() < 0.05) {
        std::memcpy(to.data(), from.data(), bytes);
        from[rounds++ % bytes] = to[0];
      }
      bandwidth_ = 2.0 * static_cast<double>(bytes) * rounds / watch.seconds();
    });
    return bandwidth_;
  }

 private:
  std::shared_ptr<DeviceState> state_;
  DeviceInfo info_;
  std::once_flag measured_;
  double bandwidth_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_interp_device(InterpOptions options) {
  if (!options.watcher) options.watcher = base::process_watcher();
  return std::make_unique<InterpDevice>(std::move(options));
}

}  // namespace heddle::device::interp
