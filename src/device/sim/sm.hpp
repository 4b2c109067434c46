// A streaming multiprocessor in time: its blocks, schedulers, pipes and load/store queue. It executes instructions when
// they issue, and models how long they take.
//
// Threads: one at a time. Different SMs may run at the same time; each stops before an operation by which blocks can
// synchronise, so that the machine executes those of all SMs in the order (cycle, SM). So results and cycles depend on
// no host thread.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/sim/block_context.hpp"
#include "device/sim/load_store_queue.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/observer.hpp"
#include "device/sim/operand_stage.hpp"
#include "device/sim/pipes.hpp"
#include "device/sim/policies/frontier/frontier.hpp"
#include "device/sim/policies/interweaving/chooser.hpp"
#include "device/sim/policies/registry.hpp"
#include "device/sim/policies/virtual_thread/physical_warps.hpp"
#include "device/sim/policies/virtual_thread/rotation.hpp"
#include "device/sim/rows.hpp"
#include "device/sim/statistics.hpp"

namespace heddle::device::sim {

class Sm {
 public:
  // What ended on it.
  struct Ended {
    GridWork* work;
    Cycle at;
    std::exception_ptr failure;  // of the block; null: it has run to its end
  };

  // The description and the memory outlive it.
  Sm(const MachineDescription& machine, unsigned index, MemoryPort& memory);

  // Tells it from now on. Null: nobody.
  void observe(SmObserver* observer) { observer_ = observer; }

  // From now on checks after each cycle what must hold for its policies; a block that breaks it fails.
  void audit() { audits_ = true; }

  bool admits(const BlockNeeds& needs) const { return residency_->admits(needs); }
  // The block's first instruction issues in cycle `start` or later.
  void admit(GridWork& work, std::uint64_t linear, Cycle start);
  // Ends all blocks of a launch.
  void drop(const GridWork& work);

  // Simulates until `end`, or until the next operation that has an order among SMs. `orders`: how many of these it may
  // execute. Returns whether it has reached `end`; else now() is the operation's cycle.
  bool run(Cycle end, std::uint64_t orders);
  Cycle now() const { return now_; }
  // Sets the time while no block is here.
  void skip_to(Cycle cycle);
  bool empty() const { return blocks_.empty(); }
  // The first cycle in which something can happen; `never`: nothing before its memory or another SM does something.
  Cycle next_event() const;

  std::vector<Ended>& ended() { return ended_; }
  std::span<const std::unique_ptr<BlockContext>> blocks() const { return blocks_; }
  // Drops what its caches hold, as between kernels.
  void invalidate_caches() { memory_.invalidate(now_); }

  // Changes of memory and thread instructions so far.
  std::uint64_t memory_epoch() const { return epoch_; }
  std::uint64_t thread_instructions() const { return statistics_.thread_instructions; }
  // Memory has not changed for long: loops are looked at from now on whether they only wait. `epoch`: the machine's.
  void watch_loops(bool watch, std::uint64_t epoch) {
    watches_ = watch;
    watch_epoch_ = epoch;
  }
  // Whether all threads that could run repeat the same steps.
  bool all_repeat() const;

  // With all cycles up to now().
  SmStatistics statistics();

 private:
  struct Scheduler {
    std::unique_ptr<WarpSchedPolicy> policy;
    Cycle wake = 0;             // nothing can issue before
    Cycle free = 0;             // its next turn after one that issued
    Cycle operands = 0;         // until when an instruction that waits for operands holds it up
    std::uint32_t replays = 0;  // slots that it owes to memory instructions that met conflicts
    Cycle accounted = 0;        // cycles before are in the statistics
    SlotUse use = SlotUse::idle;
    unsigned bucket = 0;  // of lanes; of slots that issue
  };

  // A context of a warp of 64 threads, and the groups of its halves. Null: the warp has no such half.
  struct Context {
    BlockContext* block = nullptr;
    Frontier* frontier = nullptr;
    std::uint32_t wide = 0, number = 0;  // the warp, in its block and on the SM
    unsigned slot = 0;
    IssueGroup* half[Frontier::halves] = {};
    Cycle since = 0;  // of a candidate: since when its instruction has waited
    // Of a context that has threads.
    const OpTiming& op() const { return *(half[0] && half[0]->mask != 0 ? half[0] : half[1])->op; }
  };
  // Of policies that issue two instructions together.
  struct Interweave {
    RowSet rows;
    SlotChooser chooser;
    std::vector<SlotCandidate> candidates;
    std::vector<Context> where;    // of the candidates
    bool parts_at_memory = false;  // threads that memory serves first go on
    bool by_instruction = false;   // the oldest is the instruction that has waited for longest, else the oldest warp's
    std::vector<Context> contexts = {};  // of all blocks, by age of their warps
    Cycle wake = 0;
    SlotUse use = SlotUse::idle;
  };
  void list_contexts();
  void collect_contexts();
  Cycle add_candidate(const Context& context);
  bool issue_together();
  bool is_there(const Context& one) const;
  void issue_context(const Context& context, Scheduler& scheduler, bool shares);
  void issue_second(const Context& first, const Context& second, const SlotCandidate& candidate, bool shares);
  void settle_context(const Context& context);
  Scoreboard& matrix_of(BlockContext& block, std::uint32_t warp);
  Scoreboard::Check check_matrix(IssueGroup& group, const Scoreboard::Check& exact);

  bool turn(unsigned scheduler);
  void take_replays();
  bool replay(Scheduler& owing, Scheduler& slot);
  void leave_room(SlotChooser::Choice& choice) const;
  void account(Scheduler& scheduler);
  void account_residents();
  Cycle pipe_free(const OpTiming& op, unsigned scheduler);
  Cycle front_latency() const;
  Cycle read_operands(const IssueGroup& group, unsigned scheduler);
  unsigned issue_turn(IssueGroup& group, unsigned scheduler);
  unsigned issue_shared(IssueGroup& group, unsigned scheduler);
  bool issue(IssueGroup& group, Cycle latency);
  bool settle(IssueGroup& group, std::uint32_t from);
  bool note_results(IssueGroup& group, const OpTiming& op, const machine::Effects& effects, Cycle ready);
  void note_registers(IssueGroup& group, const OpTiming& op, const machine::Effects& effects, Cycle ready,
                      std::uint32_t access);
  void part_at_memory(IssueGroup& group, const OpTiming& op, std::span<const LaneMask> passes);
  void release_threads();
  void gather(IssueGroup& group);
  void complete_meetings(const IssueGroup& group, std::uint32_t warp);
  void count_lanes(const IssueGroup& group);
  std::span<const std::uint8_t> lanes_of(const IssueGroup& group) const;
  void watch(IssueGroup& group, std::uint32_t from);

  // Groups whose threads are back only when their instruction is done.
  void come_back(BlockContext& block, IssueGroup& group, Cycle at);
  void take_returns();

  // Threads that wait for others.
  void wait(IssueGroup& group);
  void complete_meetings(IssueGroup& group);
  void complete_barriers(BlockContext& block);
  void resume(BlockContext& block, std::uint32_t warp, Cycle not_before);
  void resume_others(BlockContext& block, std::uint32_t warp);

  // Blocks that give way.
  void join_rotation(BlockContext& block);
  bool waits_for_memory(BlockContext& block) const;
  bool repeats(const BlockContext& block) const;
  unsigned registers_kept(const BlockContext& block);
  void rotate();
  void apply(const BlockRotation::Change& change);
  void take_rows(BlockContext& block);
  void give_rows(BlockContext& block);
  void complete_write(const LoadStoreQueue::Done& done, Cycle ready);
  void check_rows(const BlockContext& block, const WarpContext& warp) const;

  // What must hold at the end of a cycle.
  void check_all();
  void check(const BlockContext& block) const;

  // Groups and blocks.
  void evaluate(IssueGroup& group);
  void evaluate_warp(BlockContext& block, std::uint32_t warp);
  void pool_groups(BlockContext& block, Cycle not_before);
  void take_completions();
  bool end_block(BlockContext& block);
  void remove(BlockContext& block);
  // Schedulers have warps of their own, or all of them all.
  unsigned pool_of(std::uint32_t number) const {
    return machine_.front.pools_by_warp ? number % static_cast<unsigned>(schedulers_.size()) : 0;
  }
  void pools_changed();
  std::span<IssueGroup* const> groups_of(unsigned scheduler);
  IssueGroup* choose(unsigned scheduler);
  SlotUse wait_of(unsigned pool) const;

  // Progress of groups that want the load/store unit while others poll, whose accesses keep its queue full. A group
  // that could have issued for `patience` cycles, in which the queue was full, is the next one that gets a place.
  // Without that, the same schedulers could find the free place each time, and within one of them the same groups.
  void find_starving();
  IssueGroup* starving_in(unsigned pool, unsigned scheduler) const;
  bool queue_is_full_for(const IssueGroup* group) {
    if (queue_.full()) was_full_ = true;
    return queue_.full() || (starving_ && starving_ != group);
  }
  void note_ready(const IssueGroup& group) {
    if (!interweave_) group.block->pools[pool_of(group.slot)].note(group);
  }
  void fail(BlockContext& block);

  const MachineDescription& machine_;
  const unsigned index_;
  MemoryPort& memory_;
  const PolicyOptions options_;
  std::unique_ptr<CtaResidencyPolicy> residency_;
  std::unique_ptr<IssuePolicy> issue_policy_;
  std::unique_ptr<LaneMap> lanes_;
  const LaneShape shape_;
  std::vector<std::uint8_t> lane_table_;    // by warp and thread: the lane that the thread uses
  std::unique_ptr<Interweave> interweave_;  // null: each scheduler issues alone
  PipeSet pipes_;
  OperandStage operands_;
  LoadStoreQueue queue_;
  std::vector<Scheduler> schedulers_;
  SchedulerOrder order_ = SchedulerOrder::own;
  std::vector<std::vector<IssueGroup*>> all_groups_;  // by pool: of all blocks; empty: to be made when asked for
  std::unique_ptr<BlockRotation> rotation_;           // null: all blocks are active
  PhysicalWarps physical_;                            // empty: as many as virtual ones
  Cycle rotate_at_ = never;
  std::uint64_t next_block_id_ = 0;
  std::vector<std::unique_ptr<BlockContext>> blocks_;
  std::vector<std::uint32_t> free_slots_;  // of warps, descending
  std::vector<Ended> ended_;
  std::vector<IssueGroup*> ready_;
  std::vector<std::pair<BlockContext*, IssueGroup*>> shared_slot_;  // groups that issue in one slot, and their blocks
  struct Returning {
    Cycle at;
    std::uint64_t order;
    BlockContext* block;
    IssueGroup* group;
    bool operator<(const Returning& o) const { return at != o.at ? at > o.at : order > o.order; }  // the first on top
  };
  std::vector<Returning> returning_;  // a heap
  std::uint64_t next_return_ = 0;
  machine::Effects effects_, met_, part_;
  // The first cycle in which threads can issue that a barrier releases now.
  Cycle barrier_end() const { return std::max(now_, arrived_) + machine_.front.barrier_latency; }
  Cycle arrived_ = 0;                           // when the last arrival at a barrier counts
  bool released_ = false, met_others_ = false;  // by the instruction: a barrier; other lanes of the warp
  Cycle now_ = 0;
  unsigned turn_ = 0;   // schedulers that have had their turn in this cycle
  bool begun_ = false;  // this cycle
  static constexpr Cycle patience = 1024;
  const IssueGroup* starving_ = nullptr;  // only compared: it may be gone
  Cycle starving_until_ = patience;       // then another one is looked for
  bool was_full_ = false;                 // the queue, for some group since then
  bool issued_ = false;                   // in this cycle
  std::uint64_t orders_ = 0;
  std::uint64_t next_age_ = 0, epoch_ = 0;
  std::uint64_t resident_warps_ = 0;
  Cycle resident_since_ = 0;
  bool audits_ = false;
  bool watches_ = false;
  std::uint64_t watch_epoch_ = 0;
  SmStatistics statistics_;
  std::uint64_t full_issues_ = 0;  // with all lanes, which are not in lane_uses yet
  SmObserver* observer_ = nullptr;
  Cycle counted_ = 0;  // cycles before are in the statistics
};

}  // namespace heddle::device::sim
