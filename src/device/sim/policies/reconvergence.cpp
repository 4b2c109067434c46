#include "device/sim/policies/reconvergence.hpp"

#include <bit>

namespace heddle::device::sim {

using machine::Thread;

Place reconvergence_of(const machine::LaneThreads& threads, LaneMask lanes, const Place& from, ProgramTiming& timing) {
  const std::uint32_t pc = timing.of(*from.code).at(from.pc).reconverge;
  if (pc != no_reconvergence) return {from.code, pc, from.depth};
  if (from.depth == 1) return {};
  for (; lanes != 0; lanes &= lanes - 1) {
    const Thread& thread = *threads[static_cast<unsigned>(std::countr_zero(lanes))];
    if (thread.state == machine::ThreadState::exited) continue;
    const auto& caller = thread.frames[from.depth - 2];
    const bool returned = thread.frames.size() < from.depth;
    return {caller.code, returned ? thread.pc() : caller.pc, from.depth - 1};
  }
  return {};
}

}  // namespace heddle::device::sim
