#include "device/sim/cuda_attributes.hpp"

#include <algorithm>
#include <climits>

namespace heddle::device::sim {
namespace {

constexpr std::uint64_t most_without_leave = 48 * 1024;  // shared memory of a block that kernels do not ask for

int whole(double value) { return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(INT_MAX))); }
int whole(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, INT_MAX)); }

// Programs compute the bandwidth as two transfers a clock of so many bits.
int memory_width(const Dram& dram) { return whole(dram.channels * dram.bytes_per_clock * 8 / 2); }

// How much slower doubles are, rounded down as CUDA does.
int double_ratio(const Pipes& pipes) {
  const Pipe& doubles = pipes.fp64.count != 0 ? pipes.fp64 : pipes.fma;
  const auto rate = [](const Pipe& pipe) { return static_cast<double>(pipe.count) / std::max(pipe.interval, 1u); };
  return std::max(1, whole(rate(pipes.fma) / rate(doubles)));
}

}  // namespace

std::optional<int> cuda_attribute(const MachineDescription& machine, int number) {
  const Residency& sm = machine.residency;
  switch (number) {
    case 1:  // threads of a block; x; y
    case 2:
    case 3: return static_cast<int>(sm.block_threads);
    case 4: return static_cast<int>(std::min(sm.block_threads, 64u));
    case 8: return whole(std::min(sm.block_shared_bytes, most_without_leave));
    case 10: return static_cast<int>(machine.warp_size);
    case 12:  // registers: of a block; of an SM
    case 82: return static_cast<int>(sm.registers);
    case 13: return whole(machine.clocks.sm_mhz * 1000);
    case 31: return machine.launching.concurrent_kernels > 1 ? 1 : 0;
    case 36: return whole(machine.clocks.dram_mhz * 1000);
    case 37: return memory_width(machine.dram);
    case 38: return whole(machine.l2.bytes);
    case 39: return static_cast<int>(sm.threads);
    case 40: return static_cast<int>(machine.copies.count);
    case 75: return static_cast<int>(machine.capability / 10);
    case 76: return static_cast<int>(machine.capability % 10);
    case 81: return whole(sm.shared_bytes);
    case 87: return double_ratio(machine.pipes);
    case 97: return whole(sm.block_shared_bytes);
    case 106: return static_cast<int>(sm.blocks);
    case 108:  // of the cache, for what is to stay in it: nothing stays
    case 109: return 0;
    case 111: return whole(sm.shared_reserved);
    default: return std::nullopt;
  }
}

}  // namespace heddle::device::sim
