#include "device/sim/policies/formation/majority_heap.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle::device::sim {
namespace {

unsigned threads_of(const FormedWarp& warp) { return static_cast<unsigned>(std::popcount(warp.mask)); }

constexpr unsigned accesses_of_an_update = 1, accesses_of_an_exchange = 2;  // reads, and as many writes

}  // namespace

MajorityHeap::MajorityHeap(const Limits& limits, const Cycle& now, PolicyCounts& counts)
    : limits_(limits), now_(now), counts_(counts) {}

// The place with most threads; of two with as many the smaller one.
bool MajorityHeap::precedes(const Group& a, const Group& b) {
  return a.threads != b.threads ? a.threads > b.threads : before(a.place, b.place);
}

void MajorityHeap::occupy(unsigned accesses) { busy_ = std::max(busy_, now_ * limits_.ports) + accesses; }

Cycle MajorityHeap::ready() const {
  const Cycle free = (busy_ + limits_.ports - 1) / limits_.ports;
  const bool takes_root = !majority_ || majority_->warps.empty();
  const std::uint64_t waiting = busy_ - std::min<std::uint64_t>(busy_, now_ * limits_.ports);
  return takes_root || waiting > std::uint64_t{limits_.queue} * accesses_of_an_update ? free : 0;
}

void MajorityHeap::exchange(std::size_t a, std::size_t b) {
  std::swap(heap_[a], heap_[b]);
  heap_[a]->at = a;
  heap_[b]->at = b;
  occupy(accesses_of_an_exchange);
}

void MajorityHeap::sift_up(std::size_t at) {
  for (; at != 0 && precedes(*heap_[at], *heap_[(at - 1) / 2]); at = (at - 1) / 2) exchange(at, (at - 1) / 2);
}

void MajorityHeap::sift_down(std::size_t at) {
  while (true) {
    std::size_t best = at;
    for (const std::size_t child : {2 * at + 1, 2 * at + 2})
      if (child < heap_.size() && precedes(*heap_[child], *heap_[best])) best = child;
    if (best == at) return;
    exchange(at, best);
    at = best;
  }
}

MajorityHeap::Group* MajorityHeap::find(const Place& place) {
  const auto found = std::find_if(heap_.begin(), heap_.end(),
                                  [&](const auto& group) { return group->findable && group->place == place; });
  if (found == heap_.end()) return nullptr;
  (*found)->used = ++clock_;
  return found->get();
}

// The entry of its set in the table that was used longest ago is replaced: that group takes no more warps.
void MajorityHeap::enter(Group& group) {
  const unsigned sets = std::max(limits_.table_entries / limits_.table_ways, 1u);
  Group* oldest = nullptr;
  unsigned used = 0;
  for (const auto& other : heap_) {
    if (!other->findable || other->place.pc % sets != group.place.pc % sets) continue;
    ++used;
    if (!oldest || other->used < oldest->used) oldest = other.get();
  }
  if (used >= limits_.table_ways) {
    oldest->findable = false;
    ++counts_[PolicyEvent::orphaned];
  }
  group.findable = true;
  group.used = ++clock_;
}

MajorityHeap::Group& MajorityHeap::add(const Place& place) {
  auto made = std::make_unique<Group>();
  made->place = place;
  made->at = heap_.size();
  enter(*made);
  heap_.push_back(std::move(made));
  if (heap_.size() > limits_.entries) ++counts_[PolicyEvent::heap_full];
  return *heap_.back();
}

MajorityHeap::Group* MajorityHeap::group_of(const FormedWarp& warp) const {
  const auto has = [&](const Group& group) {
    return group.place == warp.at && std::find(group.warps.begin(), group.warps.end(), &warp) != group.warps.end();
  };
  if (majority_ && has(*majority_)) return majority_.get();
  for (const auto& group : heap_)
    if (has(*group)) return group.get();
  return nullptr;
}

void MajorityHeap::inserted(const WarpPool::Touched& touched) {
  FormedWarp& warp = *touched.warp;
  Group* group = touched.formed ? nullptr : group_of(warp);
  if (!group && majority_ && majority_->place == warp.at) group = majority_.get();
  if (!group) group = find(warp.at);
  const bool in_heap = group != majority_.get() || !group;
  if (!group) group = &add(warp.at);
  group->threads += touched.threads;
  if (touched.formed) group->warps.push_back(&warp);
  if (!in_heap) return;
  occupy(accesses_of_an_update);
  sift_up(group->at);
}

FormedWarp* MajorityHeap::next(const WarpPool&) {
  if (majority_ && !majority_->warps.empty()) return majority_->warps.front();
  return heap_.empty() ? nullptr : heap_.front()->warps.front();
}

void MajorityHeap::take_root() {
  std::unique_ptr<Group> root = std::move(heap_.front());
  heap_.front() = std::move(heap_.back());
  heap_.pop_back();
  if (!heap_.empty() && heap_.front()) {
    heap_.front()->at = 0;
    occupy(accesses_of_an_exchange);
    sift_down(0);
  }
  majority_ = std::move(root);
}

// The group has no warps any more.
void MajorityHeap::drop(Group& group) {
  const std::size_t at = group.at;
  if (at + 1 != heap_.size()) exchange(at, heap_.size() - 1);
  heap_.pop_back();
  if (at >= heap_.size()) return;
  sift_up(at);
  sift_down(at);
}

void MajorityHeap::issues(FormedWarp& warp) {
  const bool none = !majority_ || majority_->warps.empty();
  if (none && !heap_.empty() && heap_.front()->warps.front() == &warp) take_root();
  Group* const group = group_of(warp);
  std::erase(group->warps, &warp);
  group->threads -= threads_of(warp);
  if (group == majority_.get()) return;
  // A warp that was chosen by its age: its place has fewer threads now.
  if (group->warps.empty()) {
    drop(*group);
  } else {
    occupy(accesses_of_an_update);
    sift_down(group->at);
  }
}

bool MajorityHeap::consistent() const {
  const auto counts_right = [](const Group& group) {
    unsigned threads = 0;
    for (const FormedWarp* warp : group.warps) threads += threads_of(*warp);
    return threads == group.threads;
  };
  if (majority_ && !counts_right(*majority_)) return false;
  for (std::size_t i = 0; i < heap_.size(); ++i) {
    if (heap_[i]->at != i || heap_[i]->warps.empty() || !counts_right(*heap_[i])) return false;
    if (i != 0 && precedes(*heap_[i], *heap_[(i - 1) / 2])) return false;
  }
  return true;
}

}  // namespace heddle::device::sim
