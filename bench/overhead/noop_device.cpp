#include "noop_device.hpp"

#include <cstdlib>
#include <map>
#include <new>

#include "base/fail.hpp"
#include "base/watcher.hpp"
#include "device/parameter_layout.hpp"

namespace heddle::bench {
namespace {

using namespace heddle::device;

class NoopMemory : public Memory {
 public:
  explicit NoopMemory(Device* device, std::size_t bytes)
      : device_(device), bytes_(bytes), data_(std::aligned_alloc(256, (bytes + 256) / 256 * 256)) {
    if (!data_) throw std::bad_alloc();
  }
  ~NoopMemory() override { std::free(data_); }
  NoopMemory(const NoopMemory&) = delete;
  NoopMemory& operator=(const NoopMemory&) = delete;
  Span span() const override { return {device_, reinterpret_cast<std::uint64_t>(data_), bytes_}; }
  void* host() const override { return data_; }

 private:
  Device* device_;
  std::size_t bytes_;
  void* data_;
};

class NoopEvent : public Event {
 public:
  bool done() const override { return true; }
  void wait() override {}
  unsigned long long completed_ns() const override { return 0; }
  std::shared_ptr<const EventPoint> point() const override { return nullptr; }
};

class NoopQueue : public Queue {
 public:
  void launch(Function&, const LaunchConfig&, BlockRange, std::span<const std::byte>) override {}
  std::shared_ptr<StoppableLaunch> launch_stoppable(Function&, const LaunchConfig&, BlockRange,
                                                    std::span<const std::byte>, unsigned) override {
    base::fail(ErrorCode::unsupported, "launches that can be stopped are nothing for a device that does nothing");
  }
  void copy(Span, Span) override {}
  void fill(Span, std::uint32_t, unsigned) override {}
  void copy_box(const BoxPlace&, const BoxPlace&, const BoxExtent&) override {}
  void fill_box(const BoxPlace&, const BoxExtent&, std::uint32_t, unsigned) override {}
  void set_partition(const Partition*) override {}
  void record(Event&) override {}
  void wait(const Event&) override {}
  void call(std::function<void()> function) override { function(); }
  void synchronize() override {}
};

class NoopFunction : public Function {
 public:
  explicit NoopFunction(const ptx::Function& function)
      : function_(function),
        parameters_(parameter_layout(function.parameters)),
        parameter_bytes_(device::parameter_bytes(function.parameters)) {}
  const ptx::Function& ptx() const override { return function_; }
  const std::vector<ParameterLayout>& parameters() const override { return parameters_; }
  std::uint32_t parameter_bytes() const override { return parameter_bytes_; }
  std::uint64_t static_shared_bytes() const override { return 0; }
  void prepare(const Dim3&) override {}
  std::vector<Occupancy> occupancy(const Dim3&, std::uint32_t) override { return {}; }

 private:
  const ptx::Function& function_;
  std::vector<ParameterLayout> parameters_;
  std::uint32_t parameter_bytes_;  // as devices keep it
};

class NoopModule : public device::Module {
 public:
  explicit NoopModule(std::shared_ptr<const ptx::Module> module) : module_(std::move(module)) {
    for (const ptx::Function& function : module_->functions) functions_.try_emplace(function.name, function);
  }
  Function& function(std::string_view name) override { return functions_.at(std::string(name)); }
  Span variable(std::string_view name) override {
    base::fail(ErrorCode::not_found, "a device that does nothing has no variable {}", name);
  }

 private:
  std::shared_ptr<const ptx::Module> module_;
  std::map<std::string, NoopFunction> functions_;
};

class NoopDevice : public Device {
 public:
  explicit NoopDevice(const std::string& id) : info_{.id = id, .name = "nothing", .host_memory = true} {}
  const device::DeviceInfo& info() const override { return info_; }
  const base::Clock& clock() const override { return watcher_->clock(); }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override { return std::make_unique<NoopMemory>(this, bytes); }
  std::unique_ptr<Memory> allocate_host(std::size_t bytes) override {
    return std::make_unique<NoopMemory>(nullptr, bytes);
  }
  std::unique_ptr<Memory> register_host(void*, std::size_t) override {
    base::fail(ErrorCode::unsupported, "a device that does nothing registers no memory");
  }
  std::uint64_t free_memory() override { return 1 << 30; }
  std::shared_ptr<device::Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions&) override {
    return std::make_shared<NoopModule>(std::move(module));
  }
  std::unique_ptr<Queue> queue(const device::QueueOptions&) override { return std::make_unique<NoopQueue>(); }
  std::unique_ptr<Event> event() override { return std::make_unique<NoopEvent>(); }
  std::unique_ptr<Partition> partition(const ProcessorSet&) override {
    base::fail(ErrorCode::unsupported, "a device that does nothing has no parts");
  }
  double measured_bandwidth() override { return 1; }

 private:
  device::DeviceInfo info_;
  std::shared_ptr<base::Watcher> watcher_ = base::process_watcher();
};

}  // namespace

std::unique_ptr<device::Device> make_noop_device(const std::string& id) { return std::make_unique<NoopDevice>(id); }

}  // namespace heddle::bench
