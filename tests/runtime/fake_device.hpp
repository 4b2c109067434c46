// A device for tests of the runtime: commands run only when somebody waits, so that what is in flight is known exactly.
// Kernels are C++ functions; memory may be out of the host's reach.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/watcher.hpp"
#include "device/device.hpp"
#include "device/host_memory.hpp"
#include "heddle/error.hpp"

namespace heddle::tests {

class FakeQueue;

// What a kernel gets: its packed parameters, read by offset, and the blocks to run.
struct FakeLaunch {
  std::span<const std::byte> parameters;
  device::LaunchConfig config;
  BlockRange range;
  template <typename T>
  T parameter(std::size_t offset) const {
    T value;
    std::copy_n(parameters.data() + offset, sizeof value, reinterpret_cast<std::byte*>(&value));
    return value;
  }
  template <typename T>
  T* pointer(std::size_t offset) const {
    return reinterpret_cast<T*>(parameter<std::uint64_t>(offset));
  }
};
using FakeKernel = std::function<void(const FakeLaunch&)>;

struct FakeOptions {
  std::string id = "fake";
  bool host_reaches_memory = true;
  bool has_streams = false;  // call_with_stream() calls the function at once, as GPUs do
  bool host_memory = false;  // its memory is the host's, as the CPU device's
  unsigned capability = 0;   // of a GPU
  std::map<std::string, FakeKernel> kernels;
  std::vector<std::string>* log =
      nullptr;  // "fake: launch saxpy", "fake: copy 16", as commands run; also "fake: prepare saxpy"
  unsigned* late_records = nullptr;                // how many ends could be recorded late
  std::function<void()>* while_copying = nullptr;  // called and emptied when a copy is asked for
};

// Adds a line to the device's log. Any thread: functions are prepared without the core's lock.
void note(const FakeOptions& options, const std::string& what);

// One record of an event.
struct FakeRecord {
  FakeQueue* queue = nullptr;  // while it is not reached
  std::optional<Error> error;
  unsigned long long completed = 0;
};

class FakeEvent final : public device::Event {
 public:
  bool done() const override { return record_->queue == nullptr; }
  void wait() override;
  unsigned long long completed_ns() const override { return record_->completed; }
  // Queues know the record: fake devices run in one thread.
  std::shared_ptr<const device::EventPoint> point() const override { return nullptr; }

 private:
  friend class FakeQueue;
  std::shared_ptr<FakeRecord> record_ = std::make_shared<FakeRecord>();
};

class FakeQueue final : public device::Queue {
 public:
  explicit FakeQueue(const FakeOptions& options) : options_(options) {}
  ~FakeQueue() override {
    while (!commands_.empty()) run_one();
  }
  FakeQueue(const FakeQueue&) = delete;
  FakeQueue& operator=(const FakeQueue&) = delete;
  void launch(device::Function& function, const device::LaunchConfig& config, BlockRange range,
              std::span<const std::byte> arguments) override;
  std::shared_ptr<device::StoppableLaunch> launch_stoppable(device::Function& function,
                                                            const device::LaunchConfig& config, BlockRange range,
                                                            std::span<const std::byte> arguments,
                                                            unsigned residents) override;
  void copy(device::Span destination, device::Span source) override;
  void fill(device::Span destination, std::uint32_t value, unsigned value_bytes) override;
  void copy_box(const device::BoxPlace& destination, const device::BoxPlace& source,
                const device::BoxExtent& extent) override;
  void fill_box(const device::BoxPlace& destination, const device::BoxExtent& extent, std::uint32_t value,
                unsigned value_bytes) override;
  void set_partition(const device::Partition*) override { throw Error(ErrorCode::unsupported, "no partitions"); }
  void record(device::Event& event) override;
  void record_late(device::Event& event) override {
    if (options_.late_records != nullptr) ++*options_.late_records;
    record(event);
  }
  void wait(const device::Event& event) override;
  void call(std::function<void()> function) override;
  void call_with_stream(std::function<void(void* stream)> function) override;
  void synchronize() override;

  void run_until(const FakeRecord& record);
  std::size_t pending() const { return commands_.size(); }

 private:
  void add(std::function<void()> command) { commands_.push_back(std::move(command)); }
  void run_one();
  void note(const std::string& what) const { tests::note(options_, what); }

  const FakeOptions& options_;
  std::deque<std::function<void()>> commands_;
  std::optional<Error> failure_;
  unsigned long long clock_ = 0;  // one nanosecond a command
};

class FakeDevice final : public device::Device {
 public:
  explicit FakeDevice(FakeOptions options);
  const device::DeviceInfo& info() const override { return info_; }
  bool lost() const override { return is_lost; }
  std::atomic<bool> is_lost = false;
  const base::Clock& clock() const override { return watcher_->clock(); }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override;
  std::unique_ptr<device::Memory> allocate_host(std::size_t bytes) override { return device::make_host_memory(bytes); }
  // In the log: "fake: register 65536", and "fake: unregister 65536" when the result ends.
  std::unique_ptr<device::Memory> register_host(void* data, std::size_t bytes) override;
  std::uint64_t free_memory() override { return info_.memory_bytes; }
  std::shared_ptr<device::Module> load(std::shared_ptr<const ptx::Module> module,
                                       const device::LoadOptions& options) override;
  std::unique_ptr<device::Queue> queue(const device::QueueOptions& options) override;
  std::unique_ptr<device::Event> event() override { return std::make_unique<FakeEvent>(); }
  std::unique_ptr<device::Partition> partition(const device::ProcessorSet& processors) override;
  double measured_bandwidth() override { return 1e9; }

  std::size_t live_allocations() const { return *live_; }
  std::size_t queues() const { return priorities_.size(); }           // that were made
  const std::vector<int>& priorities() const { return priorities_; }  // of these
  bool loaded_with_check = false;
  unsigned failing_queues = 0;       // so many are not made, for lack of memory
  unsigned failing_allocations = 0;  // so many throw std::bad_alloc: the host has no memory
  bool registers = true;             // false: register_host() throws out_of_memory

 private:
  FakeOptions options_;
  device::DeviceInfo info_;
  std::shared_ptr<base::Watcher> watcher_ = base::process_watcher();
  std::shared_ptr<std::size_t> live_ = std::make_shared<std::size_t>(0);
  std::vector<int> priorities_;
};

}  // namespace heddle::tests
