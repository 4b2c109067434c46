#include "random_programs/thread_device.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/fail.hpp"
#include "base/watcher.hpp"
#include "device/host_memory.hpp"
#include "device/parameter_layout.hpp"

namespace heddle::test {
namespace {

using namespace heddle::device;

constexpr std::uint64_t out_of_reach = 1ull << 62;

class Record final : public EventPoint {
 public:
  explicit Record(std::shared_ptr<base::Watcher> watcher) : watcher_(std::move(watcher)) {}
  bool done() const override {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  bool on_done(std::function<void()> callback) const override {
    const std::lock_guard lock(mutex_);
    if (!done_) callbacks_.push_back(std::move(callback));
    return !done_;
  }
  void reach(const std::optional<Error>& error) {
    std::vector<std::function<void()>> callbacks;
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
      error_ = error;
      callbacks.swap(callbacks_);
    }
    changed_.notify_all();
    for (auto& callback : callbacks) watcher_->post(std::move(callback));
  }
  std::optional<Error> wait() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_; });
    return error_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<std::function<void()>> callbacks_;
  const std::shared_ptr<base::Watcher> watcher_;
  bool done_ = false;
  std::optional<Error> error_;
};

class ThreadEvent final : public Event {
 public:
  bool done() const override {
    const auto record = current();
    return !record || record->done();
  }
  void wait() override {
    const auto record = current();
    if (!record) return;
    if (const auto error = record->wait()) throw Error(*error);
  }
  unsigned long long completed_ns() const override { return 0; }
  std::shared_ptr<const EventPoint> point() const override { return current(); }
  std::shared_ptr<Record> current() const {
    const std::lock_guard lock(mutex_);
    return record_;
  }
  void set(std::shared_ptr<Record> record) {
    const std::lock_guard lock(mutex_);
    record_ = std::move(record);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Record> record_;
};

class ThreadFunction final : public Function {
 public:
  ThreadFunction(const ptx::Function& function, const ThreadKernel& kernel)
      : function_(function), kernel_(kernel), layout_(parameter_layout(function.parameters)) {
    if (!layout_.empty()) bytes_ = layout_.back().offset + layout_.back().size;
  }
  const ptx::Function& ptx() const override { return function_; }
  const std::vector<ParameterLayout>& parameters() const override { return layout_; }
  std::uint32_t parameter_bytes() const override { return bytes_; }
  std::uint64_t static_shared_bytes() const override { return 0; }
  void prepare(const Dim3&) override {}
  std::vector<Occupancy> occupancy(const Dim3&, std::uint32_t) override { return {}; }
  const ThreadKernel& kernel() const { return kernel_; }

 private:
  const ptx::Function& function_;
  const ThreadKernel& kernel_;
  std::vector<ParameterLayout> layout_;
  std::uint32_t bytes_ = 0;
};

constexpr std::uint64_t all_there = ~std::uint64_t{0};

std::atomic<std::uint64_t>* word_of(std::uint64_t address) {
  return reinterpret_cast<std::atomic<std::uint64_t>*>(address);
}

[[noreturn]] void refuse(const char* what) {
  base::fail(ErrorCode::unsupported, "a device of threads has no {}", what);
}

class ThreadQueue final : public Queue {
 public:
  ThreadQueue() : thread_([this] { work(); }) {}
  ~ThreadQueue() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;

  void launch(Function& function, const LaunchConfig& config, BlockRange range,
              std::span<const std::byte> arguments) override {
    add([&kernel = static_cast<ThreadFunction&>(function), config, range,
         bytes = std::vector<std::byte>(arguments.begin(), arguments.end())] {
      kernel.kernel()({config, range, bytes, &kernel.parameters()});
    });
  }
  std::shared_ptr<StoppableLaunch> launch_stoppable(Function&, const LaunchConfig&, BlockRange,
                                                    std::span<const std::byte>, unsigned) override {
    refuse("launches that can be stopped");
  }
  void copy(Span to, Span from) override {
    add([to, from] { std::memcpy(reach(to.address), reach(from.address), from.size); });
  }
  void begin_progress(ProgressFlag& flag, std::uint64_t begin) override {
    add([word = word_of(flag.address()), begin] { word->store(begin, std::memory_order_release); }, true);
  }
  void copy_with_progress(Span to, Span from, ProgressFlag& flag) override {
    add([to, from, word = word_of(flag.address())] {
      constexpr std::uint64_t pieces = 3;
      const std::uint64_t piece = from.size / pieces + 1;
      for (std::uint64_t at = 0; at < from.size; at += piece) {
        const std::uint64_t size = std::min(piece, from.size - at);
        std::memcpy(reach(to.address + at), reach(from.address + at), size);
        word->store(to.address + at + size, std::memory_order_release);
        std::this_thread::yield();
      }
    });
    add([word = word_of(flag.address())] { word->store(all_there, std::memory_order_release); }, true);
  }
  void fill(Span to, std::uint32_t value, unsigned) override {
    add([to, value] { std::memset(reach(to.address), static_cast<int>(value), to.size); });
  }
  void copy_box(const BoxPlace&, const BoxPlace&, const BoxExtent&) override { refuse("boxes"); }
  void fill_box(const BoxPlace&, const BoxExtent&, std::uint32_t, unsigned) override { refuse("boxes"); }
  void set_partition(const Partition*) override { refuse("partitions"); }
  void record(Event& event) override {
    auto record = std::make_shared<Record>(base::process_watcher());
    static_cast<ThreadEvent&>(event).set(record);
    add([this, record] { record->reach(failure_); }, true);
  }
  void wait(const Event& event) override {
    add(
        [point = static_cast<const ThreadEvent&>(event).current()] {
          if (point) point->wait();
        },
        true);
  }
  void call(std::function<void()> function) override { add(std::move(function)); }
  void synchronize() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return commands_.empty() && !busy_; });
    if (failure_) throw Error(*std::exchange(failure_, std::nullopt));
  }

 private:
  struct Command {
    std::function<void()> run;
    bool always;  // also behind a failure
  };
  void add(std::function<void()> run, bool always = false) {
    {
      const std::lock_guard lock(mutex_);
      commands_.push_back({std::move(run), always});
    }
    changed_.notify_all();
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop_ || !commands_.empty(); });
      if (commands_.empty()) return;
      const Command command = std::move(commands_.front());
      commands_.pop_front();
      busy_ = true;
      const bool skip = failure_ && !command.always;
      lock.unlock();
      std::optional<Error> failed;
      try {
        if (!skip) command.run();
      } catch (const Error& error) {
        failed = error;
      }
      lock.lock();
      if (failed) failure_ = failed;
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> commands_;
  std::optional<Error> failure_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;
};

class ThreadArrival final : public ProgressFlag {
 public:
  std::uint64_t address() const override { return reinterpret_cast<std::uint64_t>(&word_); }

 private:
  std::atomic<std::uint64_t> word_{all_there};
};

class ThreadMemory final : public Memory {
 public:
  ThreadMemory(Device* device, std::size_t bytes, bool host_reaches)
      : device_(device), bytes_(bytes, std::byte{0xee}), host_reaches_(host_reaches) {}
  Span span() const override {
    const auto address = reinterpret_cast<std::uint64_t>(bytes_.data());
    return {device_, host_reaches_ ? address : address | out_of_reach, bytes_.size()};
  }
  void* host() const override { return host_reaches_ ? const_cast<std::byte*>(bytes_.data()) : nullptr; }

 private:
  Device* device_;
  std::vector<std::byte> bytes_;
  bool host_reaches_;
};

class ThreadModule final : public Module {
 public:
  ThreadModule(std::shared_ptr<const ptx::Module> module, const std::map<std::string, ThreadKernel>& kernels)
      : module_(std::move(module)) {
    for (const ptx::Function& function : module_->functions)
      functions_.try_emplace(function.name, function, kernels.at(function.name));
  }
  Function& function(std::string_view name) override { return functions_.at(std::string(name)); }
  Span variable(std::string_view) override { refuse("variables"); }

 private:
  std::shared_ptr<const ptx::Module> module_;
  std::map<std::string, ThreadFunction> functions_;
};

class ThreadDevice final : public Device {
 public:
  ThreadDevice(std::string id, bool host_reaches, std::map<std::string, ThreadKernel> kernels,
               std::function<void(const ptx::Module&)> on_load)
      : kernels_(std::move(kernels)), on_load_(std::move(on_load)), host_reaches_(host_reaches) {
    info_.id = info_.name = std::move(id);
    info_.memory_bytes = std::uint64_t{1} << 30;
  }
  const DeviceInfo& info() const override { return info_; }
  const base::Clock& clock() const override { return watcher_->clock(); }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override {
    return std::make_unique<ThreadMemory>(this, bytes, host_reaches_);
  }
  std::unique_ptr<Memory> allocate_host(std::size_t bytes) override { return make_host_memory(bytes); }
  std::unique_ptr<Memory> register_host(void*, std::size_t) override { refuse("registration of memory"); }
  std::uint64_t free_memory() override { return info_.memory_bytes; }
  std::shared_ptr<Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions&) override {
    if (on_load_) on_load_(*module);
    return std::make_shared<ThreadModule>(std::move(module), kernels_);
  }
  std::unique_ptr<Queue> queue(const QueueOptions&) override { return std::make_unique<ThreadQueue>(); }
  std::unique_ptr<Event> event() override { return std::make_unique<ThreadEvent>(); }
  std::unique_ptr<ProgressFlag> progress_flag() override { return std::make_unique<ThreadArrival>(); }
  std::unique_ptr<Partition> partition(const ProcessorSet&) override { refuse("partitions"); }
  double measured_bandwidth() override { return 1e9; }

 private:
  std::map<std::string, ThreadKernel> kernels_;
  std::function<void(const ptx::Module&)> on_load_;
  bool host_reaches_;
  DeviceInfo info_;
  std::shared_ptr<base::Watcher> watcher_ = base::process_watcher();
};

}  // namespace

void await_arrival(std::uint64_t word, std::uint64_t end) {
  while (word_of(word)->load(std::memory_order_acquire) < end) std::this_thread::yield();
}

void* reach(std::uint64_t address) { return reinterpret_cast<void*>(address & ~out_of_reach); }

std::unique_ptr<Device> make_thread_device(std::string id, bool host_reaches_memory,
                                           std::map<std::string, ThreadKernel> kernels,
                                           std::function<void(const ptx::Module&)> on_load) {
  return std::make_unique<ThreadDevice>(std::move(id), host_reaches_memory, std::move(kernels), std::move(on_load));
}

}  // namespace heddle::test
