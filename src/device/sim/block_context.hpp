// A launch under way, and a block of it on an SM.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "device/machine/core.hpp"
#include "device/machine/spin_watch.hpp"
#include "device/sim/issue_pool.hpp"
#include "device/sim/policies/divergence.hpp"
#include "device/sim/policies/residency.hpp"
#include "device/sim/scoreboard.hpp"

namespace heddle::device::sim {

// A launch, as far as SMs know it.
struct GridWork {
  machine::Grid& grid;
  ProgramTiming& timing;
  BlockNeeds needs;
};

struct WarpContext {
  Scoreboard own_board;
  Scoreboard* board = &own_board;  // where blocks give way to others: that of its physical warp, if it has one
  std::uint16_t slot = 0;          // its number on the SM: the virtual warp, whose registers it has
  std::uint16_t physical = 0;      // where blocks give way: its row of the scoreboard while its block is active
  std::uint32_t outstanding = 0;   // memory accesses under way
};

struct BlockContext {
  BlockContext(GridWork& its_work, std::uint64_t linear, const machine::Site& site)
      : work(its_work), block(its_work.grid, linear), core(its_work.grid, site), warps(block.warps.size()) {
    for (WarpContext& warp : warps) warp.board = &warp.own_board;
  }
  BlockContext(const BlockContext&) = delete;
  BlockContext& operator=(const BlockContext&) = delete;

  GridWork& work;
  machine::Block block;
  machine::Core core;
  std::unique_ptr<DivergencePolicy> divergence;
  std::vector<WarpContext> warps;
  std::vector<IssuePool> pools;  // its groups, by the schedulers that have them; none where contexts issue together
  // Where blocks give way to others: its number in the rotation, whether its warps can issue, and whether what they
  // wait for may have changed.
  std::uint64_t id = 0;
  bool active = true, changed = false;
  unsigned pending_writes = 0;  // loads under way whose rows of the scoreboard are gone
  Cycle last_write = 0;         // when the last of the others is there
  // Where dependences are known by slots of contexts: by warp of 64 threads; lanes are slots.
  std::vector<Scoreboard> matrices;
  std::vector<machine::SpinWatch> spins;  // by thread; made when it is first looked for loops that wait
};

}  // namespace heddle::device::sim
