// A resident block: threads, warps, barriers and shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/interp/thread.hpp"
#include "device/queue.hpp"

namespace heddle::device::interp {

// A launch as its blocks see it.
struct LaunchContext {
  LoadedFunction& function;
  LaunchConfig config;
  BlockRange range;
  std::vector<std::byte> parameters;  // its data is 256-byte aligned through `parameter_data`
  std::byte* parameter_data = nullptr;
  std::uint64_t grid_id = 0;
  DeviceState& state;
  const Footprint* footprint = nullptr;  // null: it may touch everything
  std::uint64_t instructions = 0;        // thread instructions executed so far
  bool watch_spinning = false;           // nothing has changed in memory for a while
  alignas(16) std::array<std::byte, grid_workspace_bytes> grid_workspace{};
};

struct Barrier {
  bool active = false;
  bool counted = false;        // the instructions name the number of threads
  std::uint32_t expected = 0;  // threads, in whole warps
  std::uint32_t arrived = 0;
  std::uint32_t holding = 0;            // of those, with a true predicate (bar.red)
  std::vector<std::uint8_t> by_thread;  // how often each has arrived
};

struct Warp {
  std::uint32_t first = 0, count = 0;  // its threads in Block::threads
  std::uint64_t steps = 0;
  std::uint64_t lead_steps = 0;    // steps during which the first group alone has run
  std::uint64_t gather_steps = 0;  // steps during which a gathering group has waited
};

class Block {
 public:
  static constexpr unsigned barrier_count = 16;

  Block(LaunchContext& launch, std::uint64_t linear_id);

  LaunchContext& launch;
  Dim3 index{0, 0, 0};  // %ctaid
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::array<Barrier, barrier_count> barriers;
  std::vector<std::byte> shared_storage;
  std::byte* shared = nullptr;  // the window
  std::uint64_t shared_bytes = 0;
  std::uint32_t alive = 0;  // threads that have not exited

  bool finished() const { return alive == 0; }
  // Threads of the block when its last warp counts in full.
  std::uint32_t whole() const { return static_cast<std::uint32_t>(warps.size() * 32); }
  Warp& warp_of(const Thread& thread) { return warps[thread.linear / 32]; }
};

}  // namespace heddle::device::interp
