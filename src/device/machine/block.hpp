// A resident block: threads, warps, barriers and shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/machine/effects.hpp"
#include "device/machine/grid.hpp"
#include "device/machine/thread.hpp"

namespace heddle::device::machine {

struct Barrier {
  bool active = false;
  bool counted = false;        // the instructions give the number of threads
  std::uint32_t expected = 0;  // threads, in whole warps
  std::uint32_t arrived = 0;
  std::uint32_t holding = 0;            // of the arrived ones, those with a true predicate (bar.red)
  std::vector<std::uint8_t> by_thread;  // how often each has arrived
};

// The threads in the lanes of a warp, or of a group of threads that a scheduler has formed; null where a lane is empty.
using LaneThreads = std::array<Thread*, warp_size>;

struct Warp {
  std::uint32_t first = 0, count = 0;  // its threads in Block::threads
  LaneThreads lanes{};                 // the same
  std::uint64_t* registers = nullptr;  // row r of the kernel's registers begins at [r * warp_size]
};

class Block {
 public:
  static constexpr unsigned barrier_count = 16;

  Block(const Grid& grid, std::uint64_t linear_id);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Dim3 index{0, 0, 0};  // %ctaid
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<std::uint32_t> counters;   // program counters, by thread
  std::vector<std::uint64_t> registers;  // of the kernel: by warp, by register, by lane; then the upper halves alike
  std::array<Barrier, barrier_count> barriers;
  std::vector<std::byte> shared_storage;
  std::byte* shared = nullptr;  // the window
  std::uint64_t shared_bytes = 0;
  std::uint32_t alive = 0;  // threads that have not exited

  bool finished() const { return alive == 0; }
  // Number of threads if the last warp counts as full.
  std::uint32_t whole() const { return static_cast<std::uint32_t>(warps.size() * warp_size); }
  Thread& thread(const Warp& warp, unsigned lane) { return threads[warp.first + lane]; }
  const Thread& thread(const Warp& warp, unsigned lane) const { return threads[warp.first + lane]; }

  // The lanes that take part in the .sync operation at which this lane waits: those of its mask that have not exited. 0
  // until all of these wait at the same operation with the same mask.
  static LaneMask met(const LaneThreads& lanes, unsigned lane);

 private:
  void make_threads(const Grid& grid);
};

}  // namespace heddle::device::machine
