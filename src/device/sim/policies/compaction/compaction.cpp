// divergence=tbc: thread block compaction. A thread has one instruction in flight, in its home lane.
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "device/sim/policies/compaction/entries.hpp"
#include "device/sim/policies/divergence.hpp"

namespace heddle::device::sim {
namespace {

using machine::Thread;
using machine::ThreadState;
using Entry = BlockEntries::Entry;

std::vector<std::uint8_t> homes_of(const DivergenceContext& context) {
  std::vector<std::uint8_t> homes(context.block.threads.size());
  for (std::uint32_t w = 0; w < context.block.warps.size(); ++w)
    for (unsigned i = 0; i < context.block.warps[w].count; ++i)
      homes[context.block.warps[w].first + i] =
          static_cast<std::uint8_t>(context.lanes.lane(i, context.slots[w], {machine::warp_size, context.sm_warps}));
  return homes;
}

class Compaction final : public DivergencePolicy {
 public:
  explicit Compaction(const DivergenceContext& context)
      : block_(context.block),
        timing_(context.timing),
        homes_(homes_of(context)),
        entries_(context.block, homes_, context.timing, context.counts),
        waiting_(context.block.warps.size()) {
    list();
  }

  std::span<IssueGroup* const> groups() override { return list_; }
  bool forms_warps() const override { return true; }

  bool retire(IssueGroup& group, const machine::Effects&) override {
    Entry& entry = entry_of(group);
    std::erase(entry.ready, static_cast<FormedWarp*>(&group));
    ++entry.away;
    away_.push_back({&group, &entry});
    list();
    return true;
  }
  // Not used: released() is.
  bool resume(std::uint32_t, Cycle) override { return false; }

  Returned write_back(IssueGroup& group) override {
    const auto out = std::find_if(away_.begin(), away_.end(), [&](const Away& one) { return one.group == &group; });
    const bool issued = out != away_.end();
    if (issued) {
      --out->entry->away;
      away_.erase(out);
    } else {
      --carriers_;
    }
    const Place from = group.at;
    const bool parts = issued && timing_.of(*from.code).at(from.pc).parts;
    FormedWarp& warp = static_cast<FormedWarp&>(group);
    std::vector<Entry*> entries;
    std::vector<Coming> coming;
    for (LaneMask lanes = warp.mask; lanes != 0; lanes &= lanes - 1)
      sort_thread(*warp.lanes[static_cast<unsigned>(std::countr_zero(lanes))], coming, entries);
    const std::uint32_t number = warp.warp;
    warp.mask = 0;
    entries_.recycle(warp);
    for (const Coming& part : coming) {
      const bool joins = part.entry->reconverge.code != nullptr && part.place == part.entry->reconverge;
      if (parts || joins)
        entries_.arrive(*part.entry, part.threads, from);
      else
        entries_.form(*part.entry, part.threads, number);
    }
    entries_.settle(entries);
    wake_if_stuck();
    list();
    return {true, false};
  }

  IssueGroup* released(std::uint32_t warp) override {
    FormedWarp* carrier = nullptr;
    LaneMask& waiting = waiting_[warp];
    for (LaneMask lanes = waiting; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      Thread& thread = block_.thread(block_.warps[warp], lane);
      if (thread.state != ThreadState::runnable) continue;
      waiting &= ~(LaneMask{1} << lane);
      if (!carrier) {
        carrier = &entries_.fresh();
        carrier->warp = warp;
        ++carriers_;
      }
      carrier->lanes[homes_[thread.linear]] = &thread;
      carrier->mask |= LaneMask{1} << homes_[thread.linear];
    }
    return carrier;
  }

  bool yield(IssueGroup& group) override {
    const auto out = std::find_if(away_.begin(), away_.end(), [&](const Away& one) { return one.group == &group; });
    if (out == away_.end()) return false;
    entries_.yield(*out->entry);
    list();
    return true;
  }

  void audit(PolicyAudit& audit) const override {
    entries_.for_each_warp([&](const FormedWarp& warp) {
      audit.holds(warp.lanes, warp.mask);
      for (LaneMask lanes = warp.mask; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        audit.require(homes_[warp.lanes[lane]->linear] == lane, "a thread of a compacted warp is in its home lane");
      }
    });
    entries_.for_each_waiting([&](const Thread& thread) { audit.holds(thread); });
    for (std::size_t w = 0; w < waiting_.size(); ++w) audit.holds(block_.warps[w].lanes, waiting_[w]);
  }

 private:
  struct Away {
    IssueGroup* group;
    Entry* entry;
  };
  struct Coming {
    Entry* entry;
    Place place;
    Threads threads;
  };

  Entry& entry_of(const IssueGroup& group) {
    return entries_.of(*(*group.threads)[static_cast<unsigned>(std::countr_zero(group.mask))]);
  }

  // A thread whose instruction is done: it waits, has exited, or comes to a place.
  void sort_thread(Thread& thread, std::vector<Coming>& coming, std::vector<Entry*>& entries) {
    Entry& entry = entries_.of(thread);
    if (std::find(entries.begin(), entries.end(), &entry) == entries.end()) entries.push_back(&entry);
    if (thread.state == ThreadState::exited) {
      entries_.exit(thread);
      return;
    }
    if (thread.state != ThreadState::runnable) {
      waiting_[thread.linear / machine::warp_size] |= LaneMask{1} << thread.lane();
      return;
    }
    const Place place = place_of(thread);
    const auto same = std::find_if(coming.begin(), coming.end(),
                                   [&](const Coming& one) { return one.entry == &entry && one.place == place; });
    if (same == coming.end())
      coming.push_back({&entry, place, {&thread}});
    else
      same->threads.push_back(&thread);
  }

  // Where every thread waits for others and none is on its way, those at joins and branches go on.
  void wake_if_stuck() {
    while (entries_.active() == nullptr && carriers_ == 0 && !any_released())
      if (!entries_.release_alone()) return;
  }
  bool any_released() const {
    for (std::size_t w = 0; w < waiting_.size(); ++w)
      for (LaneMask lanes = waiting_[w]; lanes != 0; lanes &= lanes - 1)
        if (block_.warps[w].lanes[static_cast<unsigned>(std::countr_zero(lanes))]->state == ThreadState::runnable)
          return true;
    return false;
  }

  void list() {
    list_.clear();
    Entry* const active = entries_.active();
    if (active) list_.assign(active->ready.begin(), active->ready.end());
  }

  machine::Block& block_;
  ProgramTiming& timing_;
  const std::vector<std::uint8_t> homes_;  // lane of the SIMD unit, by thread
  BlockEntries entries_;
  std::vector<LaneMask> waiting_;  // lanes at barriers and warp operations, by warp
  std::vector<Away> away_;
  unsigned carriers_ = 0;  // groups of released threads that are on their way
  std::vector<IssueGroup*> list_;
};

}  // namespace

std::unique_ptr<DivergencePolicy> make_compaction(const DivergenceContext& context) {
  return std::make_unique<Compaction>(context);
}

}  // namespace heddle::device::sim
