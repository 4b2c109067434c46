// Miss status holding registers: lines that are being fetched, and which accesses wait for which of their sectors.
#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/memory/coalescer.hpp"

namespace heddle::device::sim {

// `Waiter` has a member `sectors`, those that it still needs. Allocates memory only when more wait than ever before.
template <typename Waiter>
class Mshrs {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // `entries` lines with `merges` waiters each.
  Mshrs(unsigned entries, unsigned merges) : merges_(merges), entries_(entries) {
    unsigned buckets = 4;
    while (buckets < 2 * entries) buckets *= 2;
    buckets_.assign(buckets, none);
    for (std::uint32_t i = 0; i < entries; ++i) entries_[i].next = i + 1 < entries ? i + 1 : none;
    free_entry_ = 0;
  }

  unsigned used() const { return used_; }
  bool full() const { return free_entry_ == none; }

  std::uint32_t find(std::uint64_t line) const {
    std::uint32_t at = buckets_[bucket(line)];
    while (at != none && entries_[at].line != line) at = entries_[at].next;
    return at;
  }
  // Not full. `findable`: later misses of the line may wait for it too.
  std::uint32_t allocate(std::uint64_t line, bool findable) {
    const std::uint32_t made = free_entry_;
    Entry& entry = entries_[made];
    free_entry_ = entry.next;
    entry = Entry{};
    entry.line = line;
    entry.findable = findable;
    if (findable) {
      entry.next = buckets_[bucket(line)];
      buckets_[bucket(line)] = made;
    }
    ++used_;
    return made;
  }
  bool mergeable(std::uint32_t entry) const { return entries_[entry].waiters < merges_; }
  // mergeable(entry). In the order of these calls they are served.
  void wait(std::uint32_t index, const Waiter& waiter) {
    Entry& entry = entries_[index];
    if (free_node_ == none) {
      free_node_ = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    }
    const std::uint32_t node = free_node_;
    free_node_ = nodes_[node].next;
    nodes_[node] = {waiter, none};
    (entry.last == none ? entry.first : nodes_[entry.last].next) = node;
    entry.last = node;
    ++entry.waiters;
  }
  bool findable(std::uint32_t entry) const { return entries_[entry].findable; }
  std::uint64_t line(std::uint32_t entry) const { return entries_[entry].line; }
  SectorMask pending(std::uint32_t entry) const { return entries_[entry].pending; }
  void expect(std::uint32_t entry, SectorMask sectors) { entries_[entry].pending |= sectors; }

  // These sectors have come: served(waiter) for each that needs no more. The entry is free when none is pending: true.
  template <typename F>
  bool arrived(std::uint32_t index, SectorMask sectors, F&& served) {
    Entry& entry = entries_[index];
    entry.pending &= static_cast<SectorMask>(~sectors);
    std::uint32_t* link = &entry.first;
    std::uint32_t last = none;
    while (*link != none) {
      const std::uint32_t at = *link;
      nodes_[at].waiter.sectors &= static_cast<SectorMask>(~sectors);
      if (nodes_[at].waiter.sectors != 0) {
        last = at;
        link = &nodes_[at].next;
        continue;
      }
      *link = nodes_[at].next;
      served(nodes_[at].waiter);
      nodes_[at].next = free_node_;
      free_node_ = at;
      --entry.waiters;
    }
    entry.last = last;
    if (entry.pending != 0) return false;
    release(index);
    return true;
  }

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t first = none, last = none, next = none;
    std::uint16_t waiters = 0;
    SectorMask pending = 0;
    bool findable = false;
  };
  struct Node {
    Waiter waiter;
    std::uint32_t next = none;
  };

  std::size_t bucket(std::uint64_t line) const { return (line * 0x9e3779b97f4a7c15 >> 32) & (buckets_.size() - 1); }
  void release(std::uint32_t index) {
    Entry& entry = entries_[index];
    if (entry.findable) {
      std::uint32_t* link = &buckets_[bucket(entry.line)];
      while (*link != index) link = &entries_[*link].next;
      *link = entry.next;
    }
    entry.next = free_entry_;
    free_entry_ = index;
    --used_;
  }

  unsigned merges_, used_ = 0;
  std::vector<Entry> entries_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> buckets_;
  std::uint32_t free_entry_ = none, free_node_ = none;
};

}  // namespace heddle::device::sim
