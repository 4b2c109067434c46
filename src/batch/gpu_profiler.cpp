#include <algorithm>
#include <cstring>

#include "batch/executor.hpp"
#include "batch/machine_model.hpp"
#include "batch/profiler.hpp"
#include "device/sim/machine_file/reader.hpp"
#include "device/sim/sim.hpp"
#include "ptx/parser.hpp"

namespace heddle::batch {
namespace {

using device::sim::SteppedMachine;

// Runs for so many cycles, and writes how many cycles and nanoseconds have passed.
constexpr const char* spin = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u64 out, .param .u64 cycles)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [cycles];
  mov.u64 %rd3, %clock64;
  mov.u64 %rd4, %globaltimer;
again:
  mov.u64 %rd5, %clock64;
  sub.u64 %rd6, %rd5, %rd3;
  setp.lt.u64 %p1, %rd6, %rd2;
  @%p1 bra again;
  mov.u64 %rd7, %globaltimer;
  sub.u64 %rd8, %rd7, %rd4;
  st.global.u64 [%rd1], %rd6;
  st.global.u64 [%rd1+8], %rd8;
  ret;
}
)";

// Ends of slices are seen in groups, some ten microseconds apart.
constexpr std::uint64_t long_enough_ns = 3'000'000;

struct Spent {
  std::uint64_t cycles = 0, nanoseconds = 0;
};

ArgumentData scalar(std::uint64_t value) {
  ArgumentData data{std::vector<std::byte>(sizeof value), false};
  std::memcpy(data.bytes.data(), &value, sizeof value);
  return data;
}

std::unique_ptr<Kernel> make_spin(device::Device& device, std::uint64_t cycles) {
  KernelSpec spec{"spin", std::make_shared<const ptx::Module>(ptx::parse(spin, "the clock's kernel")), "spin", {}, {}};
  spec.arguments = {{std::vector<std::byte>(sizeof(Spent)), true}, scalar(cycles)};
  return std::make_unique<Kernel>(device, spec);
}

// The machine file that is nearest to the GPU.
device::sim::MachineDescription nearest_machine(const device::DeviceInfo& info) {
  auto machine = device::sim::preset(info.name.find("H200") != info.name.npos ? "hopper-h200" : "hopper-h100");
  machine.sms = info.processors;
  return machine;
}

class GpuProfiler final : public Profiler {
 public:
  GpuProfiler(device::Device& device, std::shared_ptr<base::Watcher> watcher)
      : device_(device), watcher_(std::move(watcher)), machine_(nearest_machine(device.info())) {
    device::sim::SimOptions options;
    options.machine = machine_;
    options.machine.sms = 1;
    options.watcher = watcher_;
    one_sm_ = device::sim::make_sim_device(std::move(options));
    measure_clock();
    measure_launch();
    measure_slices();
  }
  unsigned processors() const override { return device_.info().processors; }
  double peak_ipc() const override { return batch::peak_ipc(machine_); }
  sched::CoRunDevice corun(const model::MemoryLatency& latency) override {
    sched::CoRunDevice corun = corun_of(machine_, latency);
    if (const auto limits = model::limits_of(device_.info().capability)) corun.limits = *limits;
    corun.launch_cycles = launch_cycles_;
    corun.slice_cycles = slice_cycles_;
    corun.lanes = lanes_of_slices;
    corun.cycles_per_ns = cycles_per_ns_;
    return corun;
  }
  double count(Kernel& kernel, model::Candidate& made) override {
    Kernel copy(*one_sm_, kernel.spec());
    SteppedMachine machine(*one_sm_);
    const double busy = count_alone(machine, copy, made);
    made.memory_use = 0;  // that of one SM says nothing of a full GPU
    made.demands = {};    // nor do demands of memory that SMs share
    const auto occupancy =
        kernel.function().whole_occupancy(kernel.config().block, kernel.config().dynamic_shared_bytes);
    if (occupancy) made.needs.registers = occupancy->registers;
    return busy;
  }
  std::vector<SteadyRate> steady_rates(std::span<const Share> shares, unsigned rounds) override;

 private:
  void measure_clock() {
    constexpr std::uint64_t long_enough = 1u << 22;  // some milliseconds: clocks rise first
    const auto kernel = make_spin(device_, long_enough);
    const auto queue = device_.queue({});
    for (int run = 0; run < 3; ++run) queue->launch(kernel->function(), kernel->config(), {0, 1}, kernel->arguments());
    queue->synchronize();
    Spent spent;
    std::memcpy(&spent, kernel->read(0).data(), sizeof spent);
    cycles_per_ns_ =
        static_cast<double>(spent.cycles) / static_cast<double>(std::max<std::uint64_t>(1, spent.nanoseconds));
  }
  // From the decision to submit a slice until its end is known, without the kernel: as long the device must have other
  // work.
  void measure_launch() {
    constexpr std::size_t times = 65;
    const auto kernel = make_spin(device_, 0);
    const auto executor = make_queue_executor(device_, watcher_);
    std::vector<std::uint64_t> took;
    for (std::size_t i = 0; i < times; ++i) {
      const std::uint64_t begin = executor->now_ns();
      bool ended = false;
      executor->submit(*kernel, {0, 1}, [&](std::uint64_t) { ended = true; });
      while (!ended) executor->wait(std::nullopt);
      took.push_back(executor->now_ns() - begin);
    }
    std::nth_element(took.begin(), took.begin() + times / 2, took.end());
    launch_cycles_ = static_cast<double>(took[times / 2]) * cycles_per_ns_;
  }

  // What the host does for each slice, when it has many in flight.
  void measure_slices() {
    constexpr unsigned times = 512, at_once = 16;
    KernelSpec spec = make_spin(device_, 0)->spec();
    spec.config.grid = {2};  // of which a part is launched: a slice
    Kernel kernel(device_, spec);
    const auto executor = make_queue_executor(device_, watcher_);
    unsigned made = 0, in_flight = 0;
    const std::uint64_t begin = executor->now_ns();
    while (made < times || in_flight > 0) {
      for (; made < times && in_flight < at_once; ++made, ++in_flight)
        executor->submit(kernel, {0, 1}, [&](std::uint64_t) { --in_flight; });
      executor->wait(std::nullopt);
    }
    slice_cycles_ = static_cast<double>(executor->now_ns() - begin) / times * cycles_per_ns_;
  }

  device::Device& device_;
  const std::shared_ptr<base::Watcher> watcher_;
  const device::sim::MachineDescription machine_;
  std::unique_ptr<device::Device> one_sm_;
  double cycles_per_ns_ = 1, launch_cycles_ = 0, slice_cycles_ = 0;
};

std::vector<SteadyRate> GpuProfiler::steady_rates(std::span<const Share> shares, unsigned rounds) {
  std::vector<SteadyShare> running;
  for (const Share& share : shares) running.emplace_back(share, processors());
  const auto executor = make_queue_executor(device_, watcher_);
  const auto fill = [&] {
    while (SteadyShare* const next = emptiest(running)) {
      const BlockRange range = next->take();
      executor->submit(next->kernel(), range, [&running, next, range](std::uint64_t end_ns) {
        next->end(range.size());
        next->see(end_ns, 0, all_warm(running));
      });
    }
  };
  fill();
  const auto enough = [&](const SteadyShare& share) { return share.enough(rounds) && share.span() >= long_enough_ns; };
  while (!std::all_of(running.begin(), running.end(), enough)) {
    executor->wait(std::nullopt);
    fill();
  }
  while (!executor->idle()) executor->wait(std::nullopt);
  std::vector<SteadyRate> rates;
  for (const SteadyShare& share : running) rates.push_back({share.rate() / cycles_per_ns_, 0});
  return rates;
}

}  // namespace

std::unique_ptr<Profiler> make_gpu_profiler(device::Device& device, std::shared_ptr<base::Watcher> watcher) {
  return std::make_unique<GpuProfiler>(device, std::move(watcher));
}

}  // namespace heddle::batch
