#include "device/sim/policies/virtual_thread/occupancy.hpp"

#include <algorithm>

namespace heddle::device::sim {
namespace {

constexpr unsigned no_limit = 65535;
constexpr std::uint64_t identifier_bits = 8 + 5;  // the first virtual warp, and how many there are
constexpr std::uint64_t index_bits = 3 * 32;
constexpr std::uint64_t entry_bits = 32 + 64 + 64;  // mask, place, where its threads meet

template <class T>
unsigned quotient(T all, T one) {
  return one == 0 ? no_limit : static_cast<unsigned>(std::min<T>(all / one, no_limit));
}

}  // namespace

// Equation 1.
std::uint64_t BlockStateSize::bits(unsigned warps) const {
  return (identifier_bits + index_bits + entry_bits * stack_entries * warps) * scale;
}

// Equation 2.
Cycle BlockStateSize::cycles(unsigned warps, unsigned port) const {
  return port == 0 ? 0 : (bits(warps) + port - 1) / port;
}

Occupancy occupancy(const Residency& limits, const BlockNeeds& needs, unsigned warps, const BlockStateSize& context,
                    unsigned virtual_warps) {
  Occupancy result;
  const unsigned by_threads = std::min(quotient(limits.threads, needs.warps * 32), quotient(limits.warps, needs.warps));
  result.scheduling = std::min(limits.blocks, by_threads);
  const unsigned by_registers = quotient(limits.registers, needs.registers);
  result.capacity = std::min(by_registers, quotient(limits.shared_bytes, needs.shared));
  result.baseline = std::min(result.scheduling, result.capacity);
  const unsigned by_shared = quotient(limits.shared_bytes, needs.shared + context.bytes(warps));
  // Where contexts leave no room for as many blocks as without, nothing gives way.
  result.resident = std::min({by_registers, by_shared, quotient(virtual_warps, warps)});
  result.resident = std::max(result.resident, result.baseline);
  result.active = std::min(result.scheduling, result.resident);
  return result;
}

}  // namespace heddle::device::sim
