// Memory instructions between their issue and their completion: what of them waits for the load/store unit, and what
// each completes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/machine/effects.hpp"
#include "device/sim/block_context.hpp"
#include "device/sim/memory/memory_port.hpp"
#include "device/sim/policies/memory_queue.hpp"

namespace heddle::device::sim {

class LoadStoreQueue {
 public:
  // `sm`: its number; `warps`: that an SM holds.
  LoadStoreQueue(MemoryPort& memory, std::unique_ptr<MemQueuePolicy> policy, unsigned sm, unsigned warps)
      : memory_(memory), policy_(std::move(policy)), first_warp_(std::uint64_t{sm} * warps) {}

  // A warp whose memory instruction is complete, and its number in Scoreboard.
  struct Done {
    BlockContext* block;
    std::uint32_t warp, access;
    Cycle ready;
    IssueGroup* group;       // whose threads wait for it; null: they do not, or have a scoreboard for that
    std::uint32_t physical;  // the warp's row of the scoreboard when it issued
    bool writes;             // it has an entry there
  };

  bool full() const { return waiting_.size() >= policy_->capacity(); }
  bool empty() const { return waiting_.empty(); }
  // Takes the accesses of an instruction of the group. Returns the number under which they complete.
  // `waits`: its threads go on when it is complete; null: done() has no group.
  // `writes`: the scoreboard has an entry for it.
  // Where the block's groups share slots (the MIMD bound), its accesses join others that wait: as many lanes as a warp
  // has are one access, of whichever threads they are.
  std::uint32_t send(BlockContext& block, const IssueGroup& group, const machine::Effects& effects, bool bypass_l1,
                     IssueGroup* waits, bool writes);
  // The lanes of an access of global or local memory by line, in the order of their first lanes. Empty: it needs one
  // pass of the port, or is no such access.
  std::span<const LaneMask> passes(const BlockContext& block, const IssueGroup& group, const machine::Effects& effects,
                                   unsigned line);
  // Offers what waits to the memory, and takes from it what is complete.
  void advance(Cycle now);
  std::vector<Done>& done() { return done_; }
  // The block is gone.
  void forget(const BlockContext& block);
  // Accesses of the block that wait.
  std::size_t waiting_of(const BlockContext& block) const;

 private:
  struct InFlight {
    BlockContext* block = nullptr;
    std::uint32_t warp = 0, parts = 0;
    Cycle ready = 0;
    IssueGroup* group = nullptr;
    std::uint32_t physical = 0;
    bool writes = false;
    std::vector<std::uint32_t> members = {};  // of a joint access: the instructions that it is of
  };
  struct Waiting {
    WarpAccess access;
    std::uint32_t number;
    bool joint = false;
  };
  std::uint32_t take_number();
  void join(const WarpAccess& access, std::uint32_t number);
  WarpAccess access_of(const BlockContext& block, const IssueGroup& group, const machine::Effects& effects,
                       std::size_t& next, bool bypass_l1) const;
  std::uint64_t address_of(const BlockContext& block, const IssueGroup& group,
                           const machine::MemoryAccess& access) const;
  void complete(std::uint32_t number, Cycle ready);

  MemoryPort& memory_;
  std::unique_ptr<MemQueuePolicy> policy_;
  std::uint64_t first_warp_;
  std::vector<InFlight> in_flight_;
  std::vector<std::uint32_t> free_;
  std::vector<Waiting> waiting_;
  std::vector<WaitingAccess> offers_;
  std::vector<Done> done_;
  std::vector<LaneMask> passes_;
};

}  // namespace heddle::device::sim
