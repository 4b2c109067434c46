#include "runtime/fake_device.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace heddle::tests {

void note(const FakeOptions& options, const std::string& what) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (options.log != nullptr) options.log->push_back(options.id + ": " + what);
}
namespace {

// Memory out of the host's reach has addresses that are no host pointers: this bit is set in them.
constexpr std::uint64_t out_of_reach = 1ull << 62;
void* reach(std::uint64_t address) { return reinterpret_cast<void*>(address & ~out_of_reach); }

class FakeMemory final : public device::Memory {
 public:
  FakeMemory(device::Device* device, std::size_t bytes, bool host_reaches, std::shared_ptr<std::size_t> live)
      : device_(device), bytes_(bytes, std::byte{0xee}), host_reaches_(host_reaches), live_(std::move(live)) {
    ++*live_;
  }
  ~FakeMemory() override { --*live_; }
  device::Span span() const override {
    const auto address = reinterpret_cast<std::uint64_t>(bytes_.data());
    return {device_, host_reaches_ ? address : address | out_of_reach, bytes_.size()};
  }
  void* host() const override { return host_reaches_ ? const_cast<std::byte*>(bytes_.data()) : nullptr; }

 private:
  device::Device* device_;
  std::vector<std::byte> bytes_;
  bool host_reaches_;
  std::shared_ptr<std::size_t> live_;
};

class FakeFunction final : public device::Function {
 public:
  FakeFunction(const ptx::Function& function, const FakeOptions& options) : function_(function), options_(options) {}
  const ptx::Function& ptx() const override { return function_; }
  const std::vector<device::ParameterLayout>& parameters() const override { return layout_; }
  std::uint32_t parameter_bytes() const override { return 0; }
  std::uint64_t static_shared_bytes() const override { return 0; }
  void prepare(const Dim3&) override { note(options_, "prepare " + function_.name); }
  std::vector<Occupancy> occupancy(const Dim3&, std::uint32_t) override { return {}; }

 private:
  const ptx::Function& function_;
  const FakeOptions& options_;
  std::vector<device::ParameterLayout> layout_;
};

class FakeModule final : public device::Module {
 public:
  FakeModule(device::Device* device, std::shared_ptr<const ptx::Module> module, const FakeOptions& options)
      : device_(device), module_(std::move(module)), variable_(16) {
    for (const ptx::Function& function : module_->functions) functions_.emplace_back(function, options);
  }
  device::Function& function(std::string_view name) override {
    const auto found =
        std::find_if(functions_.begin(), functions_.end(), [&](auto& f) { return f.ptx().name == name; });
    if (found == functions_.end()) throw Error(ErrorCode::not_found, "no function");
    return *found;
  }
  device::Span variable(std::string_view name) override {
    if (name != "coefficients" && name != "_ZN3img5scaleE") throw Error(ErrorCode::not_found, "no variable");
    return {device_, reinterpret_cast<std::uint64_t>(variable_.data()), variable_.size()};
  }

 private:
  device::Device* device_;
  std::shared_ptr<const ptx::Module> module_;
  std::deque<FakeFunction> functions_;
  std::vector<std::byte> variable_;
};

}  // namespace

void FakeEvent::wait() {
  const std::shared_ptr<FakeRecord> record = record_;
  if (record->queue != nullptr) record->queue->run_until(*record);
  if (record->error) throw Error(*record->error);
}

void FakeQueue::run_one() {
  const auto command = std::move(commands_.front());
  commands_.pop_front();
  ++clock_;
  command();
}

void FakeQueue::run_until(const FakeRecord& record) {
  while (record.queue == this && !commands_.empty()) run_one();
}

void FakeQueue::launch(device::Function& function, const device::LaunchConfig& config, BlockRange range,
                       std::span<const std::byte> arguments) {
  if (config.block.count() > 1024) throw Error(ErrorCode::invalid_argument, "too many threads");
  add([this, &function, config, range, copied = std::vector<std::byte>(arguments.begin(), arguments.end())] {
    if (failure_) return;
    note("launch " + function.ptx().name);
    try {
      options_.kernels.at(function.ptx().name)({copied, config, range});
    } catch (const Error& error) {
      failure_ = error;
    }
  });
}

std::shared_ptr<device::StoppableLaunch> FakeQueue::launch_stoppable(device::Function& function,
                                                                     const device::LaunchConfig& config,
                                                                     BlockRange range,
                                                                     std::span<const std::byte> arguments, unsigned) {
  auto flag = std::make_shared<device::StopFlag>(range);
  add([this, &function, config, range, flag, copied = std::vector<std::byte>(arguments.begin(), arguments.end())] {
    if (failure_ || flag->stopped()) return;
    note("launch " + function.ptx().name);
    options_.kernels.at(function.ptx().name)({copied, config, range});
    flag->advance(range.end);
  });
  return flag;
}

void FakeQueue::copy(device::Span destination, device::Span source) {
  if (options_.while_copying && *options_.while_copying) std::exchange(*options_.while_copying, nullptr)();
  add([this, destination, source] {
    if (failure_) return;
    note("copy " + std::to_string(source.size));
    std::memcpy(reach(destination.address), reach(source.address), source.size);
  });
}

void FakeQueue::fill(device::Span destination, std::uint32_t value, unsigned) {
  add([this, destination, value] {
    if (failure_) return;
    note("fill " + std::to_string(destination.size));
    std::memset(reach(destination.address), static_cast<int>(value), destination.size);
  });
}

void FakeQueue::copy_box(const device::BoxPlace& destination, const device::BoxPlace& source,
                         const device::BoxExtent& extent) {
  for (std::size_t i = 0; i < extent.height * extent.depth; ++i)
    copy({destination.device, row_address(destination, extent, i), extent.width},
         {source.device, row_address(source, extent, i), extent.width});
}

void FakeQueue::fill_box(const device::BoxPlace& destination, const device::BoxExtent& extent, std::uint32_t value,
                         unsigned value_bytes) {
  for (std::size_t i = 0; i < extent.height * extent.depth; ++i)
    fill({destination.device, row_address(destination, extent, i), extent.width}, value, value_bytes);
}

void FakeQueue::record(device::Event& event) {
  auto record = std::make_shared<FakeRecord>();
  record->queue = this;
  static_cast<FakeEvent&>(event).record_ = record;
  note("record");  // when it is asked for, not when it is reached
  add([this, record] {
    record->queue = nullptr;
    record->error = failure_;
    record->completed = clock_;
  });
}

void FakeQueue::wait(const device::Event& event) {
  add([this, record = static_cast<const FakeEvent&>(event).record_] {
    note("wait");
    if (record->queue != nullptr) record->queue->run_until(*record);
  });
}

void FakeQueue::call(std::function<void()> function) {
  add([this, function = std::move(function)] {
    if (failure_) return;
    note("call");
    try {
      function();
    } catch (const Error& error) {
      failure_ = error;
    }
  });
}

void FakeQueue::call_with_stream(std::function<void(void* stream)> function) {
  if (options_.has_streams)
    function(this);
  else
    Queue::call_with_stream(std::move(function));
}

void FakeQueue::synchronize() {
  while (!commands_.empty()) run_one();
  if (failure_) throw Error(*std::exchange(failure_, std::nullopt));
}

FakeDevice::FakeDevice(FakeOptions options) : options_(std::move(options)) {
  info_.id = options_.id;
  info_.name = "a fake device";
  info_.has_streams = options_.has_streams;
  info_.host_memory = options_.host_memory;
  info_.capability = options_.capability;
}

namespace {

class FakeRegistration final : public device::Memory {
 public:
  FakeRegistration(const FakeOptions& options, void* data, std::size_t bytes)
      : options_(options), span_(device::Span::host(data, bytes)) {
    note(options_, "register " + std::to_string(bytes));
  }
  ~FakeRegistration() override { note(options_, "unregister " + std::to_string(span_.size)); }
  FakeRegistration(const FakeRegistration&) = delete;
  FakeRegistration& operator=(const FakeRegistration&) = delete;
  device::Span span() const override { return span_; }
  void* host() const override { return reinterpret_cast<void*>(span_.address); }

 private:
  const FakeOptions& options_;
  device::Span span_;
};

}  // namespace

std::unique_ptr<device::Memory> FakeDevice::register_host(void* data, std::size_t bytes) {
  if (!registers) throw Error(ErrorCode::out_of_memory, "no memory to pin");
  return std::make_unique<FakeRegistration>(options_, data, bytes);
}

std::unique_ptr<device::Memory> FakeDevice::allocate(std::size_t bytes) {
  if (failing_allocations > 0) {
    --failing_allocations;
    throw std::bad_alloc();
  }
  return std::make_unique<FakeMemory>(this, bytes, options_.host_reaches_memory, live_);
}

std::shared_ptr<device::Module> FakeDevice::load(std::shared_ptr<const ptx::Module> module,
                                                 const device::LoadOptions& options) {
  loaded_with_check = options.check.kernels();
  return std::make_shared<FakeModule>(this, std::move(module), options_);
}

std::unique_ptr<device::Queue> FakeDevice::queue(const device::QueueOptions& options) {
  if (failing_queues > 0) {
    --failing_queues;
    throw Error(ErrorCode::out_of_memory, "no memory for a queue");
  }
  priorities_.push_back(options.priority);
  return std::make_unique<FakeQueue>(options_);
}

std::unique_ptr<device::Partition> FakeDevice::partition(const device::ProcessorSet&) {
  throw Error(ErrorCode::unsupported, "no partitions");
}

}  // namespace heddle::tests
