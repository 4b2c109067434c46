#include "gpu/machine.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <cstring>
#include <thread>

namespace heddle::bench::lithos_gpu {
namespace {

constexpr std::size_t gpu_data_bytes = std::size_t{256} << 20, cpu_data_bytes = std::size_t{64} << 20;

template <class... Arguments>
std::vector<std::byte> pack(const LoadedKernel& kernel, const Arguments&... arguments) {
  std::vector<std::byte> bytes(kernel.parameter_bytes());
  std::size_t i = 0;
  const auto put = [&](const auto& value) {
    std::memcpy(bytes.data() + kernel.parameters()[i++].offset, &value, sizeof value);
  };
  (put(arguments), ...);
  return bytes;
}

LaunchShape shape(const Step& step) {
  return {.grid = {static_cast<std::uint32_t>(step.blocks)}, .block = {step.threads}};
}

}  // namespace

Machine::Machine(const Settings& settings, const std::string& policy)
    : runtime_({.devices = settings.device, .workers = settings.workers, .policy = policy}),
      device_(runtime_.device(0)),
      info_(device_.info()),
      module_(runtime_.load_ptx_file(kernels() / "lithos.ptx")),
      compute_(device_.load(module_.kernel("lithos_compute"))),
      stream_(device_.load(module_.kernel("lithos_stream"))),
      where_(device_.load(module_.kernel("lithos_where"))) {}

unsigned Machine::resident(Kind kind, unsigned threads) const {
  const LoadedKernel& kernel = kind == Kind::compute ? compute_ : stream_;
  const auto occupancy = kernel.whole_occupancy({threads});
  return occupancy ? std::max(occupancy->blocks, 1u) : 1;
}

Buffers Machine::buffers(std::uint64_t warps) const {
  const std::size_t bytes = info_.capability != 0 ? gpu_data_bytes : cpu_data_bytes;
  Buffers made{device_.allocate(bytes), device_.allocate(warps * sizeof(float)),
               static_cast<std::uint32_t>(bytes / 16 - 1)};
  clear(made.data);
  clear(made.out);
  return made;
}

void Machine::launch(const Queue& queue, const Step& step, const Buffers& buffers) const {
  if (step.kind == Kind::compute)
    queue.launch(compute_, shape(step), pack(compute_, step.turns, buffers.out.address()));
  else
    queue.launch(stream_, shape(step),
                 pack(stream_, step.turns, buffers.mask, buffers.data.address(), buffers.out.address()));
}

void Machine::launch_where(const Queue& queue, const Step& step, const Buffers& buffers, std::uint64_t where) const {
  queue.launch(where_, shape(step), pack(where_, step.turns, buffers.out.address(), where));
}

std::vector<std::uint32_t> Machine::read(const Memory& memory, std::size_t count) const {
  std::vector<std::uint32_t> values(count);
  const Queue queue = device_.queue();
  MemorySpan from = memory.span();
  from.size = count * sizeof(std::uint32_t);
  queue.copy(MemorySpan::of_host(values.data(), from.size), from);
  queue.synchronize();
  return values;
}

void Machine::clear(const Memory& memory) const {
  const Queue queue = device_.queue();
  queue.fill(memory.span(), 0, 4);
  queue.synchronize();
}

void check_device(const Settings& settings) { Runtime({.devices = settings.device, .workers = settings.workers}); }

std::filesystem::path kernels() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels"; }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void wait_until(double time) {
  thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(exact);
  constexpr double spun = 50e-6;
  for (double left = time - now(); left > 0; left = time - now())
    if (left > spun) std::this_thread::sleep_for(std::chrono::duration<double>(left - spun));
}

}  // namespace heddle::bench::lithos_gpu
