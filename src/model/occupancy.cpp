#include "model/occupancy.hpp"

#include <algorithm>

namespace heddle::model {
namespace {

constexpr std::uint64_t kib = 1024;

template <class T>
T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

SmLimits make(unsigned threads, unsigned blocks, std::uint64_t shared, std::uint64_t block_shared) {
  SmLimits limits;
  limits.threads = threads;
  limits.blocks = blocks;
  limits.shared = shared * kib;
  limits.block_shared = block_shared * kib;
  return limits;
}

// Volta, Turing.
SmLimits middle(unsigned threads, unsigned blocks, std::uint64_t shared) {
  SmLimits limits = make(threads, blocks, shared, shared);
  limits.shared_unit = 256;
  return limits;
}

// Ampere and later: the system takes 1 KiB of every block.
SmLimits newer(unsigned threads, unsigned blocks, std::uint64_t shared) {
  SmLimits limits = make(threads, blocks, shared, shared - 1);
  limits.reserved_shared = kib;
  return limits;
}

// By registers: warps are dealt out to the SM's partitions, each of which has its part of them.
unsigned blocks_by_registers(const SmLimits& limits, unsigned registers, unsigned warps) {
  if (registers == 0) return limits.blocks;
  if (registers > limits.thread_registers) return 0;
  const unsigned of_warp = round_up(registers * limits.warp, limits.register_unit);
  if (of_warp * round_up(warps, limits.warp_unit) > limits.block_registers) return 0;
  const unsigned of_partition = limits.registers / limits.warp_unit / of_warp;
  return of_partition * limits.warp_unit / warps;
}

}  // namespace

std::optional<SmLimits> limits_of(unsigned capability) {
  switch (capability) {
    case 70:
    case 72: return middle(2048, 32, 96);
    case 75: return middle(1024, 16, 64);
    case 80: return newer(2048, 32, 164);
    case 86: return newer(1536, 16, 100);
    case 87: return newer(1536, 16, 164);
    case 89: return newer(1536, 24, 100);
    case 90:
    case 100:
    case 103: return newer(2048, 32, 228);
    case 110: return newer(1536, 24, 228);
    case 120:
    case 121: return newer(1536, 24, 100);
    default: return std::nullopt;
  }
}

unsigned resident_blocks(const SmLimits& limits, const BlockNeeds& needs) {
  if (needs.threads == 0 || needs.threads > limits.block_threads || needs.shared > limits.block_shared) return 0;
  const unsigned warps = (needs.threads + limits.warp - 1) / limits.warp;
  const std::uint64_t shared = round_up<std::uint64_t>(needs.shared + limits.reserved_shared, limits.shared_unit);
  std::uint64_t blocks = std::min(limits.blocks, limits.threads / limits.warp / warps);
  blocks = std::min<std::uint64_t>(blocks, blocks_by_registers(limits, needs.registers, warps));
  if (shared > 0) blocks = std::min(blocks, limits.shared / shared);
  return static_cast<unsigned>(blocks);
}

std::optional<std::uint64_t> dynamic_shared_for(const SmLimits& limits, const BlockNeeds& needs, unsigned blocks) {
  if (blocks == 0 || resident_blocks(limits, needs) < blocks) return std::nullopt;
  const std::uint64_t piece = limits.shared / blocks / limits.shared_unit * limits.shared_unit;
  const std::uint64_t whole = std::min(piece - limits.reserved_shared, limits.block_shared);
  return whole - needs.shared;
}

unsigned most_threads(const SmLimits& limits, unsigned registers) {
  for (unsigned threads = limits.block_threads; threads > limits.warp; threads -= limits.warp)
    if (resident_blocks(limits, {.threads = threads, .registers = registers}) > 0) return threads;
  return limits.warp;
}

}  // namespace heddle::model
