// The hardware of the majority heuristic (Dynamic Warp Formation, section 4.4): the place whose warps issue until it
// has none, a heap of the other places by their threads, and a table from a place to its entry in the heap.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "device/sim/memory/access.hpp"
#include "device/sim/policies/formation/order.hpp"

namespace heddle::device::sim {

class MajorityHeap final : public FormationOrder {
 public:
  struct Limits {
    unsigned ports = 2;  // of the heap and of its table: so many reads and so many writes in a cycle
    unsigned entries = 64, table_entries = 128, table_ways = 8;
    unsigned queue = 4;  // updates that wait for the ports, before the pipeline waits too
  };
  // `now`, of the SM, and `counts` outlive it.
  MajorityHeap(const Limits& limits, const Cycle& now, PolicyCounts& counts);

  void inserted(const WarpPool::Touched& touched) override;
  FormedWarp* next(const WarpPool& pool) override;
  void issues(FormedWarp& warp) override;
  // An update takes a read and a write, an exchange of two entries two of each. Nothing is taken off the heap before it
  // is in order.
  Cycle ready() const override;
  // The heap is in order, the places of entries are known, and counts are those of the warps.
  bool consistent() const override;
  std::size_t entries() const { return heap_.size(); }

 private:
  // The warps of a place, in the order in which they were formed. A place whose entry in the table was replaced can
  // have two.
  struct Group {
    Place place;
    unsigned threads = 0;
    std::deque<FormedWarp*> warps;
    std::size_t at = 0;      // in the heap
    std::uint64_t used = 0;  // when the table was asked for it last
    bool findable = false;   // it is in the table
  };
  static bool precedes(const Group& a, const Group& b);
  Group* find(const Place& place);
  Group& add(const Place& place);
  void enter(Group& group);
  void take_root();
  void sift_up(std::size_t at);
  void sift_down(std::size_t at);
  void exchange(std::size_t a, std::size_t b);
  void occupy(unsigned accesses);
  Group* group_of(const FormedWarp& warp) const;
  void drop(Group& group);

  const Limits limits_;
  const Cycle& now_;
  PolicyCounts& counts_;
  std::unique_ptr<Group> majority_;
  std::vector<std::unique_ptr<Group>> heap_;
  std::uint64_t clock_ = 0;
  std::uint64_t busy_ = 0;  // in accesses of a port since cycle 0: the ports are free from then on
};

}  // namespace heddle::device::sim
