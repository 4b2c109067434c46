// divergence=tf: the split of a warp at the first place runs, and splits at the same place are one (Simultaneous Branch
// and Warp Interweaving, section 2.2). A warp is one of 32 threads, or two of these side by side.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "device/sim/policies/divergence.hpp"
#include "device/sim/policies/frontier/contexts.hpp"

namespace heddle::device::sim {

class Frontier final : public DivergencePolicy {
 public:
  static constexpr unsigned halves = 2;

  explicit Frontier(const DivergenceContext& context);
  ~Frontier() override;

  std::span<IssueGroup* const> groups() override { return list_; }
  bool retire(IssueGroup& group, const machine::Effects& effects) override;
  bool resume(std::uint32_t warp, Cycle not_before) override;
  bool yield(IssueGroup& group) override;
  void audit(PolicyAudit& audit) const override;

  // For issue policies that issue both halves of a warp, and both hot contexts: what retire() and resume() have seen
  // becomes the warp's contexts with sort(), when all of a cycle has issued.
  std::size_t wide_warps() const { return warps_.size(); }
  const WarpContexts& contexts(std::size_t wide) const { return warps_[wide].contexts; }
  // Of the context in the slot: a half without threads has an empty mask.
  IssueGroup& group(std::size_t wide, unsigned slot, unsigned half) const {
    return *groups_[(wide * 2 + slot) * halves + half];
  }
  // Its lanes of the SIMD unit.
  WideMask lanes(std::size_t wide, unsigned slot) const;
  // The secondary context waits at a join while the primary one is in the join's region.
  bool suspended(std::size_t wide) const { return warps_[wide].suspended; }
  void sort(std::size_t wide);
  // By how many there are more contexts since the last sort(), as threads of one have gone on at several places.
  std::size_t new_splits(std::size_t wide) const {
    const WideWarp& warp = warps_[wide];
    const auto retired = static_cast<std::size_t>(std::popcount(warp.retired));
    return std::max(warp.arrivals.size(), retired) - retired + (warp.parts_at_memory ? 1 : 0);
  }
  // Lanes of a group whose memory instruction meets conflicts: a later pass serves them, and they go on at `until`.
  // Before retire(), which takes the others.
  void hold(const IssueGroup& group, LaneMask lanes, Cycle until);
  // Those whose cycle has come go on. Returns whether there are any; then sort() follows.
  bool release(std::size_t wide);
  // When the next ones go on; never: none are held.
  Cycle next_release(std::size_t wide) const { return warps_[wide].next_release; }
  // Threads that are held are a context too: of three contexts the third one is cold, and joins wait for the first.
  bool stands_back(std::size_t wide, unsigned slot) const;
  // Where the threads of each slot (0: the first context, 1: the second, 2: all others) have gone since the last call:
  // bits of slots. That is the product of the transitions of section 2.7.
  using SlotMoves = std::array<std::uint8_t, 3>;
  SlotMoves take_moves(std::size_t wide);
  unsigned slot_of(const IssueGroup& group) const;
  // Of the warp on its SM.
  std::uint32_t number(std::size_t wide) const { return wide_ ? slots_[wide * halves] / halves : slots_[wide]; }
  std::size_t wide_of(std::uint32_t warp) const { return wide_ ? warp / halves : warp; }
  // Places of the cold table that are used.
  std::size_t cold() const { return cold_.used(); }

 private:
  struct WideWarp {
    explicit WideWarp(WarpContexts its) : contexts(std::move(its)) {}
    WarpContexts contexts;
    unsigned retired = 0;  // slots whose context has executed
    std::vector<SplitContext> arrivals;
    WideMask waiting = 0;  // threads in no context, as they wait
    bool yields = false;   // the first context only repeats itself
    bool suspended = false;
    struct Held {
      Place at;  // the memory instruction
      std::uint64_t order = 0;
      WideMask lanes = 0;
      Cycle until = 0;
    };
    std::vector<Held> held;
    Cycle next_release = never;
    bool parts_at_memory = false;  // in this cycle
    WideMask shown[2] = {};
    mutable WideMask mapped[2] = {},
                     lanes[2] = {};  // by slot: lanes of the SIMD unit of the mask that was asked for last
    SlotMoves moves = {1, 2, 4};
  };
  void arrive(WideWarp& warp, std::uint32_t of, LaneMask lanes, Cycle not_before);
  void arrive_at(WideWarp& warp, const Place& place, WideMask lanes, Cycle not_before);
  bool is_suspended(const WideWarp& warp) const;
  bool waits_at_join(const Place& first, const Place& second) const;
  std::uint64_t order_of(const Place& place);
  const FrontierLayout& layout_of(const machine::Code& code) const;
  void show(std::size_t wide);
  void note_moves(WideWarp& warp) const;
  unsigned shift(std::uint32_t warp) const { return wide_ ? warp % halves * machine::warp_size : 0; }

  machine::Block& block_;
  ProgramTiming& timing_;
  const LaneMap& lanes_;
  PolicyCounts& counts_;
  const Cycle& now_;
  const std::vector<std::uint32_t> slots_;
  const LaneShape shape_;
  const bool wide_, text_order_, constrained_, by_dominator_, tracks_moves_;
  ColdTable cold_;
  std::vector<WideWarp> warps_;
  std::vector<std::unique_ptr<IssueGroup>> groups_;  // by warp, slot, half
  std::vector<IssueGroup*> list_;
  mutable const machine::Code* known_code_ = nullptr;
  mutable const FrontierLayout* known_layout_ = nullptr;
};

}  // namespace heddle::device::sim
