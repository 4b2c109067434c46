#include "device/interp/block.hpp"

#include <algorithm>

namespace heddle::device::interp {
namespace {

constexpr std::uint64_t window_alignment = 1024;  // of shared windows; variables may ask for as much
constexpr std::uint32_t warp_size = 32;

Dim3 unflatten(std::uint64_t linear, const Dim3& extent) {
  const std::uint64_t row = linear / extent.x;
  return {static_cast<std::uint32_t>(linear % extent.x), static_cast<std::uint32_t>(row % extent.y),
          static_cast<std::uint32_t>(row / extent.y)};
}

}  // namespace

Block::Block(LaunchContext& owner, std::uint64_t linear_id) : launch(owner) {
  const InterpOptions& options = launch.state.options;
  index = unflatten(linear_id, launch.config.grid);
  shared_bytes = launch.function.static_shared_bytes() + launch.config.dynamic_shared_bytes;
  const auto fill = static_cast<std::byte>(options.poison ? options.poison_byte : 0);
  shared_storage.assign(shared_bytes + window_alignment, fill);
  shared =
      reinterpret_cast<std::byte*>(align_up(reinterpret_cast<std::uint64_t>(shared_storage.data()), window_alignment));
  const auto count = static_cast<std::uint32_t>(launch.config.block.count());
  threads.resize(count);
  alive = count;
  const Code& code = launch.function.code();
  for (std::uint32_t i = 0; i < count; ++i) {
    Thread& thread = threads[i];
    thread.linear = i;
    thread.index = unflatten(i, launch.config.block);
    Frame frame;
    frame.code = &code;
    frame.top = code.frame.bytes;
    frame.registers.resize(code.function->registers.size());
    thread.frames.push_back(std::move(frame));
  }
  for (std::uint32_t first = 0; first < count; first += warp_size)
    warps.push_back({first, std::min(warp_size, count - first)});
}

}  // namespace heddle::device::interp
