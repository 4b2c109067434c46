// The stack of a block in Thread Block Compaction (Fung and Aamodt, HPCA 2011): the warps of an entry wait for each
// other at every branch; its threads then go on in entries for the branch's sides, in as few warps as their lanes
// allow, and meet again at the branch's immediate post-dominator. It is a tree here, whose last leaf runs, so that
// others have their turn where that one waits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/sim/issue_group.hpp"
#include "device/sim/kernel_timing.hpp"
#include "device/sim/policies/formation/formed_warp.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

using Threads = std::vector<machine::Thread*>;

class BlockEntries {
 public:
  struct Entry {
    Entry* parent = nullptr;
    Place reconverge;  // where its threads join the parent's; nowhere: they do not
    Place from;        // the branch at which they wait for each other
    std::uint32_t live = 0, children = 0, turns = 0;
    std::uint32_t away = 0;          // warps that have issued
    Threads arrived, joined;         // at the branch or the join; of children, at the place where these join
    std::vector<FormedWarp*> ready;  // warps that can issue
  };

  // `homes`: the lane of each thread, by number. All outlive it.
  BlockEntries(machine::Block& block, const std::vector<std::uint8_t>& homes, ProgramTiming& timing,
               PolicyCounts& counts);

  // The entry whose warps can issue; null: none has any.
  Entry* active();
  Entry& of(const machine::Thread& thread) { return *of_[thread.linear]; }
  // Threads of the entry are at one place, and go on: they form warps, whose numbers are from `first` on.
  void form(Entry& entry, const Threads& threads, std::uint32_t first);
  // They wait for the others of their entry. `from`: the branch.
  void arrive(Entry& entry, const Threads& threads, const Place& from);
  // The thread has exited.
  void exit(machine::Thread& thread);
  // Where all threads of an entry have come, they part or join. To be called after arrive() and exit().
  void settle(const std::vector<Entry*>& entries);
  // No warp can issue or has issued, and nothing will wake one: threads that wait for others of the block at joins or
  // branches go on without them. Returns whether there are any.
  bool release_alone();
  // The entry only repeats its steps: others come first. Where there are none, those that wait for it go on.
  void yield(Entry& entry);
  // A warp without threads, for those on their way.
  FormedWarp& fresh();
  void recycle(FormedWarp& warp) { spare_.push_back(&warp); }

  // For the audit.
  template <class F>
  void for_each_waiting(F&& f) const {
    for (const auto& entry : entries_) {
      for (const machine::Thread* thread : entry->arrived) f(*thread);
      for (const machine::Thread* thread : entry->joined) f(*thread);
    }
  }
  template <class F>
  void for_each_warp(F&& f) const {
    for (const auto& warp : storage_)
      if (warp->mask != 0) f(*warp);
  }

 private:
  Entry& make(Entry* parent, const Place& reconverge, const Threads& threads);
  void settle(Entry& entry);
  bool release_joined();
  void part(Entry& entry, std::vector<Threads>& parts);
  void compact(Entry& entry, const Threads& threads);
  void finish(Entry& entry);
  void remove(Entry& entry);
  void alone(Entry& beside, Threads threads);
  Place join_of(const Threads& threads, const Place& from) const;

  machine::Block& block_;
  const std::vector<std::uint8_t>& homes_;
  ProgramTiming& timing_;
  PolicyCounts& counts_;
  std::vector<std::unique_ptr<Entry>> entries_;  // in the order in which they were made
  std::vector<Entry*> of_;                       // by thread
  std::vector<std::unique_ptr<FormedWarp>> storage_;
  std::vector<FormedWarp*> spare_;
};

}  // namespace heddle::device::sim
