#include "device/sim/stepped.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "device/emulated/device.hpp"
#include "device/sim/simulator.hpp"

namespace heddle::device::sim {
namespace {

Simulator& simulator_of(Device& device) {
  auto* const emulated = dynamic_cast<emulated::EmulatedDevice*>(&device);
  auto* const simulator = emulated ? dynamic_cast<Simulator*>(emulated->state().engine.get()) : nullptr;
  if (!simulator) base::fail(ErrorCode::invalid_argument, "{} is not a simulated GPU", device.info().id);
  return *simulator;
}

emulated::LoadedFunction& loaded(Function& function) { return dynamic_cast<emulated::LoadedFunction&>(function); }

}  // namespace

struct SteppedMachine::Launch {
  Launch(std::uint64_t number, emulated::LoadedFunction& function, const LaunchConfig& config, BlockRange range,
         std::span<const std::byte> arguments, Simulator& simulator)
      : id(number),
        grid(function.kernel(), config, arguments, number, nullptr),
        gpu(grid, simulator.timing(function), simulator.needs(function, config), range),
        watch(simulator.watch(0)) {}
  const std::uint64_t id;
  machine::Grid grid;
  GpuLaunch gpu;
  LaunchWatch watch;
};

SteppedMachine::SteppedMachine(Device& device) : simulator_(simulator_of(device)) {
  if (simulator_.options().sample_waves != 0)
    base::fail(ErrorCode::invalid_argument, "{}: launches that run step by step are not sampled", device.info().id);
  if (simulator_.options().record.any())
    base::fail(ErrorCode::invalid_argument,
               "{}: launches that run step by step are not reported: report= and trace= "
               "would write nothing",
               device.info().id);
}

SteppedMachine::~SteppedMachine() {
  for (const auto& launch : launches_) simulator_.gpu().cancel(launch->gpu);
}

const MachineDescription& SteppedMachine::machine() const { return simulator_.options().machine; }

Cycle SteppedMachine::now() const { return std::max(simulator_.gpu().now(), idle_until_) + skipped_; }

unsigned SteppedMachine::registers(Function& function) const { return simulator_.registers(loaded(function)); }

std::uint64_t SteppedMachine::launch(Function& function, const LaunchConfig& config, BlockRange range,
                                     std::span<const std::byte> arguments) {
  emulated::LoadedFunction& own = loaded(function);
  simulator_.check(own, config, range);
  launches_.push_back(std::make_unique<Launch>(++made_, own, config, range, arguments, simulator_));
  GpuLaunch& gpu = launches_.back()->gpu;
  gpu.sms.assign(machine().sms, true);
  simulator_.gpu().add(gpu, now() - skipped_);
  return made_;
}

void SteppedMachine::advance() {
  if (launches_.empty()) return;
  Gpu& gpu = simulator_.gpu();
  gpu.advance();
  for (const auto& launch : launches_)
    if (!launch->gpu.done) launch->watch.look(gpu, launch->gpu);
  std::vector<std::unique_ptr<Launch>> under_way;
  std::exception_ptr failure;
  for (auto& launch : launches_) {
    if (!launch->gpu.done) {
      under_way.push_back(std::move(launch));
      continue;
    }
    if (launch->gpu.failure) failure = launch->gpu.failure;
    ended_.push_back({launch->id, launch->gpu.start + skipped_, launch->gpu.end + skipped_, launch->gpu.statistics});
  }
  launches_ = std::move(under_way);
  simulator_.reach(gpu.now());
  if (failure) std::rethrow_exception(failure);
}

void SteppedMachine::skip_to(Cycle cycle) {
  if (!launches_.empty() || cycle <= now()) return;
  // The machine's memory counts in parts of cycles (memory/ticks.hpp), of which years do not fit into 64 bits.
  constexpr Cycle latest = Cycle{1} << 48;
  if (cycle - skipped_ > latest)
    skipped_ += cycle - now();
  else
    idle_until_ = cycle - skipped_;
}

std::vector<SteppedMachine::Progress> SteppedMachine::progress() const {
  std::vector<Progress> all;
  for (const auto& launch : launches_)
    all.push_back({launch->id, launch->gpu.next - launch->gpu.range.begin - launch->gpu.live, launch->gpu.live});
  return all;
}

std::vector<SteppedMachine::Ended> SteppedMachine::take_ended() {
  std::vector<Ended> ended = std::exchange(ended_, {});
  std::stable_sort(ended.begin(), ended.end(), [](const Ended& a, const Ended& b) { return a.end < b.end; });
  return ended;
}

}  // namespace heddle::device::sim
