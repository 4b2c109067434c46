// Which blocks of an SM are active (Virtual Thread, section 2.5): one all of whose warps wait for memory gives way to
// one that can run. Registers and shared memory stay; contexts are moved.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "device/sim/memory/access.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

enum class BlockState : std::uint8_t {
  active,
  pending,    // it has given way, and results of it are under way
  ready,      // it can be active again
  restoring,  // its context is read
};

class BlockRotation {
 public:
  using Id = std::uint64_t;
  struct Limits {
    unsigned blocks = 8, threads = 1536, warps = 48;  // active at a time
    // Of the register file, where active blocks have all of their registers in it and others only those that they
    // keep; 0: all blocks have theirs.
    unsigned registers = 0;
  };
  // What it says of a block.
  struct Change {
    Id id;
    BlockState state;
  };

  BlockRotation(const Limits& limits, PolicyCounts& counts) : limits_(limits), counts_(counts) {}

  // A block has been dispatched. `context`: cycles for which its context occupies the port, each way. It is active at
  // once if there is room. Returns its state.
  // `registers`: that it has while it is active.
  BlockState add(Id id, unsigned threads, unsigned warps, Cycle context, unsigned registers = 0);
  void remove(Id id);
  BlockState state(Id id) const { return find(id).state; }
  // All warps of an active block wait for memory, or do no longer. `keeps`: registers that it needs while it has given
  // way; of a block that is stalled already they are known.
  void stalled(Id id, bool is, unsigned keeps = 0);
  bool is_stalled(Id id) const { return find(id).stalled; }
  // Results of a block that has given way are under way, or are all there.
  void pending(Id id, bool is);
  // What changes in this cycle. Blocks that have become `pending` have to say whether results are under way. Contexts
  // move in the cycles in which the port of the shared memory has nothing else to do: not before `port_free`.
  const std::vector<Change>& step(Cycle now, Cycle port_free = 0);
  // The first cycle in which step() does something by itself.
  Cycle next_event() const;
  unsigned active() const { return active_; }
  // Contexts are read: step() has to see each cycle.
  bool is_moving() const { return restoring_ != 0; }
  // Registers that blocks have in the register file.
  unsigned held() const { return held_; }

 private:
  struct Block {
    Id id;
    unsigned threads, warps;
    Cycle context;
    BlockState state;
    bool stalled;
    Cycle left;          // of restoring: cycles of the port
    unsigned registers;  // while it is active
    unsigned kept;       // while it is not
  };
  Block& find(Id id);
  const Block& find(Id id) const { return const_cast<BlockRotation*>(this)->find(id); }
  Cycle moves(unsigned registers) const;
  bool fits(const Block& block) const;
  bool can_exchange(const Block& out, const Block& in) const;
  void count(const Block& block, bool in);
  void restore(Block& block);
  void move_contexts(Cycle now, Cycle port_free);

  const Limits limits_;
  PolicyCounts& counts_;
  std::vector<Block> blocks_;
  std::deque<Id> marked_, ready_;  // in the order in which they became so
  std::vector<Change> changes_;
  unsigned active_ = 0, threads_ = 0, warps_ = 0;  // active, or about to be
  unsigned held_ = 0;
  unsigned restoring_ = 0;
  Cycle evacuation_ = 0;  // of registers that have to be moved before the next block comes
  Cycle moves_from_ = 0;  // the port has time for contexts from then on
  Cycle moved_until_ = 0;
};

}  // namespace heddle::device::sim
