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
  make_threads(grid);
}

void Block::make_threads(const Grid& grid) {
  const Code& code = grid.kernel.code();
  const auto count = static_cast<std::uint32_t>(grid.config.block.count());
  const auto register_count = static_cast<std::uint32_t>(code.function->registers.size());
  const std::size_t warp_count = (count + warp_size - 1) / warp_size;
  const std::size_t row_words = std::size_t{register_count} * warp_size;  // of a warp
  threads.resize(count);
  counters.resize(warp_count * warp_size);
  // Lanes of kernels without registers point somewhere too.
  registers.resize(std::max<std::size_t>(warp_count * row_words * (code.wide ? 2 : 1), warp_size));
  warps.resize(warp_count);
  alive = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t lane = i % warp_size;
    Warp& warp = warps[i / warp_size];
    if (lane == 0) warp = {i, std::min<std::uint32_t>(warp_size, count - i), {}, &registers[i / warp_size * row_words]};
    Thread& thread = threads[i];
    warp.lanes[lane] = &thread;
    thread.linear = i;
    thread.index = unflatten(i, grid.config.block);
    thread.counter = &counters[i];
    std::uint64_t* const low = warp.registers + lane;
    Frame& frame = thread.frames.front();
    frame.code = &code;
    frame.top = static_cast<std::uint32_t>(code.frame.bytes);
    frame.registers = {low, code.wide ? low + warp_count * row_words : nullptr, warp_size, register_count};
  }
}

LaneMask Block::met(const LaneThreads& lanes, unsigned lane) {
  const Thread& leader = *lanes[lane];
  const ptx::Instruction& wanted = *leader.instruction();
  LaneMask members = 0;
  for (unsigned i = 0; i < warp_size; ++i) {
    if (!lanes[i] || !((leader.meeting_mask >> i) & 1)) continue;
    const Thread& other = *lanes[i];
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
