#include "device/machine/block.hpp"

#include <algorithm>

namespace heddle::device::machine {
namespace {

Dim3 unflatten(std::uint64_t linear, const Dim3& extent) {
  const std::uint64_t row = linear / extent.x;
  return {static_cast<std::uint32_t>(linear % extent.x), static_cast<std::uint32_t>(row % extent.y),
          static_cast<std::uint32_t>(row / extent.y)};
}

}  // namespace

Block::Block(const Grid& grid, std::uint64_t linear_id) : index(unflatten(linear_id, grid.config.grid)) {
  const Options& options = grid.machine.options;
  shared_bytes = grid.kernel.shared().static_bytes + grid.config.dynamic_shared_bytes;
  const auto fill = static_cast<std::byte>(options.poison ? options.poison_byte : 0);
  shared_storage.assign(shared_bytes + window_alignment, fill);
  shared =
      reinterpret_cast<std::byte*>(align_up(reinterpret_cast<std::uint64_t>(shared_storage.data()), window_alignment));
  const auto count = static_cast<std::uint32_t>(grid.config.block.count());
  threads.resize(count);
  alive = count;
  const Code& code = grid.kernel.code();
  for (std::uint32_t i = 0; i < count; ++i) {
    Thread& thread = threads[i];
    thread.linear = i;
    thread.index = unflatten(i, grid.config.block);
    Frame frame;
    frame.code = &code;
    frame.top = code.frame.bytes;
    frame.registers.resize(code.function->registers.size());
    thread.frames.push_back(std::move(frame));
  }
  for (std::uint32_t first = 0; first < count; first += warp_size)
    warps.push_back({first, std::min<std::uint32_t>(warp_size, count - first)});
}

LaneMask Block::met(const Warp& warp, unsigned lane) const {
  const Thread& leader = thread(warp, lane);
  const ptx::Instruction& wanted = *leader.instruction();
  LaneMask members = 0;
  for (unsigned i = 0; i < warp.count; ++i) {
    if (!((leader.meeting_mask >> i) & 1)) continue;
    const Thread& other = thread(warp, i);
    if (other.state == ThreadState::exited) continue;
    const bool here = other.state == ThreadState::meeting && other.meeting_mask == leader.meeting_mask &&
                      other.instruction()->opcode == wanted.opcode &&
                      other.instruction()->modifiers == wanted.modifiers;
    if (!here) return 0;
    members |= LaneMask{1} << i;
  }
  return members;
}

}  // namespace heddle::device::machine
