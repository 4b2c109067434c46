#include "device/emulated/device.hpp"

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "device/interp/launch.hpp"

namespace heddle::device::interp {
namespace {

machine::Options machine_options(const InterpOptions& options) {
  return {options.poison, options.poison_byte, options.stack_bytes, options.heap_bytes,
          options.print,  options.step,        "the interpreter"};
}

// Its times are real ones.
class Interpreter final : public emulated::Engine {
 public:
  Interpreter(emulated::DeviceState& state, InterpOptions options) : state_(state, std::move(options)) {}

  std::string_view name() const override { return "the interpreter"; }
  const base::Clock& clock() const override { return state_.clock(); }
  std::uint64_t end_of_copy(std::uint64_t, std::uint64_t, emulated::Transfer) override { return clock().now_ns(); }
  std::uint64_t time(std::uint64_t) override { return clock().now_ns(); }

  void check(const emulated::LoadedFunction& function, const LaunchConfig& config, BlockRange range) const override {
    // Each thread of a resident block takes memory.
    constexpr std::uint64_t most_threads = 1 << 20;
    const std::uint64_t most = most_threads / config.block.count();
    if (config.cooperative && range.size() > most)
      base::fail(ErrorCode::invalid_argument,
                 "kernel '{}': a cooperative launch of {} blocks of {} threads is too large; {} such blocks can be "
                 "under way at once",
                 base::demangled(function.ptx().name), range.size(), config.block.count(), most);
  }

  std::uint64_t run(const emulated::KernelRun& run, std::uint64_t) override {
    Launch launch(state_, run);
    launch.run();
    if (run.stop) run.stop->advance(launch.next_block());
    return clock().now_ns();
  }

 private:
  InterpState state_;
};

}  // namespace

std::unique_ptr<Device> make_interp_device(InterpOptions options) {
  if (!options.watcher) options.watcher = base::process_watcher();
  options.deadlock_timeout = deadlock_patience(options.deadlock_timeout);
  auto state =
      std::make_shared<emulated::DeviceState>(machine_options(options), options.watcher->clock(), options.watcher);
  state->engine = std::make_unique<Interpreter>(*state, std::move(options));
  DeviceInfo info;
  info.id = "interp";
  info.name = "PTX interpreter";
  info.processors = 1;
  info.managed_memory = true;
  info.verifies = true;
  return std::make_unique<emulated::EmulatedDevice>(std::move(state), std::move(info));
}

}  // namespace heddle::device::interp
