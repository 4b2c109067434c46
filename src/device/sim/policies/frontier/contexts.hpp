// The contexts of a warp's splits: two hot ones, and cold ones in a table that warps share (Simultaneous Branch and
// Warp Interweaving, section 2.6).
#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/issue_group.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

using WideMask = std::uint64_t;  // lanes of a warp of up to 64 threads

struct SplitContext {
  std::uint64_t order = 0;  // of its place: the smaller runs first, equal ones meet
  WideMask mask = 0;        // 0: not valid
  Place place;
  Cycle not_before = 0;
  std::uint32_t turns = 0;  // in which it only waited for others: those with fewer come first
  // Whether it precedes another one.
  bool precedes(const SplitContext& other) const {
    return turns != other.turns ? turns < other.turns : order < other.order;
  }
};

// Linked lists of contexts in one table, with a list of free entries. A list is sorted unless contexts were put on its
// top while the sorter was busy.
class ColdTable {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;
  // `entries`: more are kept, and counted as a table that is full. `most_busy`: cycles that the sorter takes at most.
  ColdTable(std::size_t entries, unsigned most_busy, PolicyCounts& counts);

  void push(std::uint32_t& head, const SplitContext& context, Cycle now);
  // Behind all others.
  void append(std::uint32_t& head, const SplitContext& context);
  SplitContext pop(std::uint32_t& head);
  const SplitContext& at(std::uint32_t entry) const { return entries_[entry].context; }
  std::uint32_t next(std::uint32_t entry) const { return entries_[entry].next; }
  std::size_t used() const { return used_; }

 private:
  struct Entry {
    SplitContext context;
    std::uint32_t next = none;
  };
  std::uint32_t take(const SplitContext& context, std::uint32_t next);

  const std::size_t limit_;
  const unsigned most_busy_;
  PolicyCounts& counts_;
  std::vector<Entry> entries_;
  std::uint32_t free_ = none;
  std::size_t used_ = 0;
  Cycle sorts_until_ = 0;
};

// Of one warp.
class WarpContexts {
 public:
  // Both outlive it. `exchange`: a cold context that precedes a hot one takes its place.
  WarpContexts(ColdTable& cold, PolicyCounts& counts, bool exchange)
      : cold_(&cold), counts_(&counts), exchange_(exchange) {}

  const SplitContext& hot(unsigned slot) const { return hot_[slot]; }
  // Takes hot contexts out (bits of `slots`), and puts others in: sorts, merges those of the same place, keeps two hot.
  void replace(unsigned slots, std::vector<SplitContext>& arrivals, Cycle now);
  // The first context only waits for others: these come first.
  void yield(Cycle now);
  // All masks are disjoint; calls f for each context.
  template <class F>
  void for_each(F&& f) const {
    for (const SplitContext& one : hot_)
      if (one.mask != 0) f(one);
    for (std::uint32_t i = head_; i != ColdTable::none; i = cold_->next(i)) f(cold_->at(i));
  }

 private:
  void settle(std::vector<SplitContext>& list, Cycle now);

  ColdTable* cold_;
  PolicyCounts* counts_;
  bool exchange_;
  SplitContext hot_[2];
  std::uint32_t head_ = ColdTable::none;
  std::vector<SplitContext> list_;
};

}  // namespace heddle::device::sim
