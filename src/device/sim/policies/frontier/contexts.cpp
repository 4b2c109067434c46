#include "device/sim/policies/frontier/contexts.hpp"

#include <algorithm>

namespace heddle::device::sim {

ColdTable::ColdTable(std::size_t entries, unsigned most_busy, PolicyCounts& counts)
    : limit_(entries), most_busy_(most_busy), counts_(counts) {}

std::uint32_t ColdTable::take(const SplitContext& context, std::uint32_t next) {
  if (free_ == none) {
    free_ = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  const std::uint32_t entry = free_;
  free_ = entries_[entry].next;
  entries_[entry] = {context, next};
  if (++used_ > limit_) ++counts_[PolicyEvent::cold_full];
  ++counts_[PolicyEvent::cold];
  return entry;
}

void ColdTable::push(std::uint32_t& head, const SplitContext& context, Cycle now) {
  if (now < sorts_until_) {
    ++counts_[PolicyEvent::degraded];
    head = take(context, head);
    return;
  }
  unsigned walked = 1;
  std::uint32_t before = none;
  for (std::uint32_t i = head; i != none && entries_[i].context.precedes(context); i = entries_[i].next) {
    before = i;
    ++walked;
  }
  sorts_until_ = now + std::min(walked, most_busy_);
  const std::uint32_t entry = take(context, before == none ? head : entries_[before].next);
  (before == none ? head : entries_[before].next) = entry;
}

void ColdTable::append(std::uint32_t& head, const SplitContext& context) {
  const std::uint32_t entry = take(context, none);
  if (head == none) {
    head = entry;
    return;
  }
  std::uint32_t last = head;
  while (entries_[last].next != none) last = entries_[last].next;
  entries_[last].next = entry;
}

SplitContext ColdTable::pop(std::uint32_t& head) {
  const std::uint32_t entry = head;
  head = entries_[entry].next;
  entries_[entry].next = free_;
  free_ = entry;
  --used_;
  return entries_[entry].context;
}

// Sorts the list and merges contexts of the same place.
void WarpContexts::settle(std::vector<SplitContext>& list, Cycle) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = i + 1; j < list.size();) {
      if (list[i].order != list[j].order) {
        ++j;
        continue;
      }
      list[i].mask |= list[j].mask;
      list[i].not_before = std::max(list[i].not_before, list[j].not_before);
      list[i].turns = std::min(list[i].turns, list[j].turns);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
      ++(*counts_)[PolicyEvent::joined];
    }
  }
  std::sort(list.begin(), list.end(), [](const SplitContext& a, const SplitContext& b) { return a.precedes(b); });
}

void WarpContexts::replace(unsigned slots, std::vector<SplitContext>& arrivals, Cycle now) {
  const auto stays = [&](unsigned slot) { return hot_[slot].mask != 0 && !((slots >> slot) & 1); };
  if (arrivals.size() == 1 && head_ == ColdTable::none && !stays(0) && !stays(1)) {  // its threads are together
    hot_[0] = arrivals.front();
    hot_[1] = {};
    return;
  }
  list_.clear();
  for (unsigned slot = 0; slot < 2; ++slot)
    if (stays(slot)) list_.push_back(hot_[slot]);
  list_.insert(list_.end(), arrivals.begin(), arrivals.end());
  settle(list_, now);
  while (list_.size() > 2) {
    cold_->push(head_, list_.back(), now);
    list_.pop_back();
  }
  while (list_.size() < 2 && head_ != ColdTable::none) {
    list_.push_back(cold_->pop(head_));
    settle(list_, now);
  }
  if (exchange_ && head_ != ColdTable::none && list_.size() == 2 && !list_[1].precedes(cold_->at(head_))) {
    list_.push_back(cold_->pop(head_));
    settle(list_, now);
    if (list_.size() > 2) {
      cold_->push(head_, list_.back(), now);
      list_.pop_back();
    }
  }
  hot_[0] = list_.empty() ? SplitContext{} : list_[0];
  hot_[1] = list_.size() < 2 ? SplitContext{} : list_[1];
}

void WarpContexts::yield(Cycle now) {
  if (hot_[0].mask == 0) return;
  SplitContext waits = hot_[0];
  ++waits.turns;
  std::vector<SplitContext> back;
  if (head_ != ColdTable::none) {
    back.push_back(cold_->pop(head_));
    cold_->append(head_, waits);
  } else {
    back.push_back(waits);
  }
  replace(1, back, now);
}

}  // namespace heddle::device::sim
