#include "cuda_api/core/attributes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "base/watcher.hpp"
#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {
namespace {

constexpr int last_attribute = 147;
constexpr int most_window = 128 << 20;
constexpr int default_shared = 48 * 1024, reserved_shared = 1024;

int last_cache_bytes() {
  for (const int level : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    const long bytes = sysconf(level);
    if (bytes > 0) return static_cast<int>(std::min<long>(bytes, INT_MAX));
  }
  return 4 << 20;
}

std::uint64_t ticks([[maybe_unused]] const base::Clock& clock) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return clock.now_ns();
#endif
}

// What clock() of kernels counts in a millisecond: the host's cycle counter, measured once.
int ticks_per_ms() {
  static const int made = [] {
    constexpr unsigned long long measured_ns = 2'000'000;
    const auto watcher = base::process_watcher();
    const base::Clock& clock = watcher->clock();
    const std::uint64_t begin = clock.now_ns(), first = ticks(clock);
    std::uint64_t now = begin;
    while (now - begin < measured_ns) now = clock.now_ns();
    return static_cast<int>(static_cast<double>(ticks(clock) - first) * 1e6 / static_cast<double>(now - begin));
  }();
  return made;
}

// Shape and size of blocks, grids and SMs.
std::optional<int> shape_of_cpu(const DeviceInfo& info, int number) {
  const int most_shared = static_cast<int>(info.max_shared_per_block);
  switch (number) {
    case 1:
    case 2:
    case 3: return static_cast<int>(info.max_threads_per_block);
    case 4: return 64;       // block, z
    case 5: return INT_MAX;  // grid
    case 6:
    case 7: return 65535;
    case 8: return default_shared;
    case 9: return 64 * 1024;  // constant memory
    case 10: return static_cast<int>(info.warp_size);
    case 12:
    case 82: return 64 * 1024;  // registers
    case 39: return 2048;       // threads of an SM
    case 75: return 8;          // compute capability
    case 76: return 0;
    case 81: return most_shared + reserved_shared;
    case 97: return most_shared;
    case 106: return 32;  // blocks of an SM
    case 111: return reserved_shared;
    default: return std::nullopt;
  }
}

// Sizes of textures and surfaces: those of NVIDIA's GPUs, since programs divide their images by them.
std::optional<int> texture_limit(int number) {
  switch (number) {
    case 21: return 131072;  // 1D; 2D; 3D
    case 22: return 131072;
    case 23: return 65536;
    case 24:
    case 25:
    case 26: return 16384;
    case 27:  // 2D with layers
    case 28: return 32768;
    case 29: return 2048;
    case 42: return 32768;  // 1D with layers
    case 43: return 2048;
    case 45:  // 2D, gathered
    case 46: return 32768;
    case 47:  // 3D, the other way
    case 48: return 8192;
    case 49: return 32768;
    case 52: return 32768;  // cubes; with layers
    case 53: return 32768;
    case 54: return 2046;
    case 55: return 32768;  // surfaces: 1D; 2D; 3D
    case 56: return 131072;
    case 57: return 65536;
    case 58:
    case 59:
    case 60: return 16384;
    case 61: return 32768;  // 1D and 2D with layers
    case 62: return 2048;
    case 63:
    case 64: return 32768;
    case 65: return 2048;
    case 66: return 32768;  // cubes; with layers
    case 67: return 32768;
    case 68: return 2046;
    case 69: return 1 << 28;  // plain memory; rows of memory: width, height, pitch
    case 70: return 131072;
    case 71: return 65000;
    case 72: return 2097120;
    case 73:  // with levels of detail: 2D; 1D
    case 74: return 32768;
    case 77: return 32768;
    default: return std::nullopt;
  }
}

// What it can do, and figures that programs print; those of the memory's clock and width are nominal.
std::optional<int> ability_of_cpu(const Context& context, int number) {
  switch (number) {
    case 11: return INT_MAX;  // pitch
    case 13: return ticks_per_ms();
    case 14:
    case 30: return 512;  // alignment of textures and surfaces
    case 51: return 32;
    case 34:
    case 85: return context.number();
    case 36: return 1600000;  // memory: kHz, bits
    case 37: return 128;
    case 38: return last_cache_bytes();
    case 40: return 1;                            // copy engines
    case 87: return 2;                            // single to double precision
    case 108: return last_cache_bytes() / 4 * 3;  // of the cache, for what is to stay in it: hints
    case 109: return most_window;
    case 126: return 1;
    case 131:
    case 134:
      return -1;  // NUMA nodes
    // Kernels use the host's own addresses; those of --check and of the interpreter know allocated memory only.
    case 88:
    case 100: return context.info().host_memory && !Process::get().settings().check ? 1 : 0;
    case 15:  // copies beside kernels
    case 18:  // shares the host's memory
    case 19:  // host memory is mapped
    case 31:  // kernels beside each other
    case 41:  // one address space
    case 78:  // priorities
    case 79:  // caches
    case 80:
    case 83:   // managed memory
    case 86:   // atomics with the host
    case 89:   // managed memory beside the host
    case 90:   // preemption
    case 91:   // registered memory at the host's address
    case 95:   // cooperative launches
    case 99:   // cudaHostRegister
    case 102:  // memory that the program maps
    case 107:  // its compression, of which nobody notices anything
    case 101:  // managed memory without migration
    case 113:
    case 115: return 1;  // memory pools
    default: return number >= 1 && number <= last_attribute ? std::optional<int>(0) : std::nullopt;
  }
}

}  // namespace

std::optional<int> attribute(const Context& context, int number) {
  if (number == 16) {  // SMs: the same in all contexts of a device
    const Context& first = context.primary() ? context : Process::get().context(context.number());
    return static_cast<int>(first.processors());
  }
  if (context.capability() == 0 || context.info().simulated) {  // no GPU of NVIDIA's, with its driver
    if (const std::optional<int> stated = context.device().cuda_attribute(number)) return stated;
    const std::optional<int> shape = shape_of_cpu(context.info(), number);
    if (shape) return shape;
    const std::optional<int> limit = context.device().textures() ? texture_limit(number) : std::nullopt;
    return limit ? limit : ability_of_cpu(context, number);
  }
  switch (number) {
    case 83:  // managed memory
    case 89:
    case 101:
    case 119:  // pools, events that processes share
    case 125:
    case 120:  // clusters
    case 102:  // memory that the program maps
      return Process::get().virtual_memory.has(context.number()) ? context.device().cuda_attribute(number) : 0;
    case 107:  // its compression
      return Process::get().virtual_memory.has(context.number()) ? context.device().cuda_attribute(number) : 0;
    case 103:  // its handles and multicast
    case 104:
    case 105:
    case 110:
    case 128:
    case 132:
    case 141: return 0;
    default: return context.device().cuda_attribute(number);
  }
}

std::string device_name(const Context& context) {
  const DeviceInfo& info = context.info();
  if (info.capability != 0) return info.name;
  return info.id == "cpu" ? "Heddle CPU (" + info.name + ")" : "Heddle " + info.name;
}

std::string pci_id(const Context& context) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", attribute(context, 50).value_or(0), attribute(context, 33).value_or(0),
                     attribute(context, 34).value_or(0));
}

model::SmLimits sm_limits(const Context& context) {
  model::SmLimits limits = model::limits_of(context.reported_capability()).value_or(*model::limits_of(90));
  const auto of = [&](int number, auto& value) {
    if (const std::optional<int> known = attribute(context, number); known && *known > 0)
      value = static_cast<std::remove_reference_t<decltype(value)>>(*known);
  };
  of(1, limits.block_threads);
  of(39, limits.threads);
  of(106, limits.blocks);
  of(12, limits.block_registers);
  of(82, limits.registers);
  of(81, limits.shared);
  of(97, limits.block_shared);
  of(111, limits.reserved_shared);
  return limits;
}

}  // namespace heddle::cuda_api
