// The ranges in flight and those that have ended, as policies see them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "sched/policy.hpp"

namespace heddle::sched {

// Needs the core's lock.
class RangeLog {
 public:
  struct Entry {
    RangeView view;
    std::vector<unsigned> processors;
    std::uint64_t end_ns = 0;
    std::list<Entry>::iterator place;
  };

  void add_queue(std::uint32_t queue) { last_end_.emplace(queue, 0); }
  void remove_queue(std::uint32_t queue) { last_end_.erase(queue); }

  // The tenant is about to be removed; none of its ranges is in flight.
  void forget(const Tenant& tenant) {
    for (Completion& completion : completions_)
      if (completion.range.tenant == &tenant) completion.range.tenant = nullptr;
  }

  // A range that is about to be submitted. The entry lives until its end has been shown. Its end needs no memory.
  Entry* add(const RangeView& view, const std::vector<unsigned>& processors) {
    if (const std::size_t ends = completions_.size() + in_flight_.size() + 1; completions_.capacity() < ends)
      completions_.reserve(2 * ends);
    Entry& entry = in_flight_.emplace_back(Entry{view, processors, 0, {}});
    entry.view.processors = &entry.processors;
    entry.place = std::prev(in_flight_.end());
    if (stale_) return &entry;
    try {
      ranges_.push_back(entry.view);
    } catch (const std::bad_alloc&) {
      stale_ = true;
    }
    return &entry;
  }
  // It was not submitted.
  void remove(const Entry& entry) {
    hide(entry);
    in_flight_.erase(entry.place);
  }
  // The completion is valid until the next one.
  const Completion& ended(Entry& entry, std::uint64_t end_ns) {
    entry.end_ns = end_ns;
    std::uint64_t start = entry.view.submitted_ns;
    if (const auto last = last_end_.find(entry.view.queue); last != last_end_.end()) {
      start = std::max(start, last->second);
      last->second = std::max(last->second, end_ns);
    }
    completions_.push_back({entry.view, std::min(start, end_ns), end_ns});
    hide(entry);
    ended_.splice(ended_.end(), in_flight_, entry.place);
    return completions_.back();
  }

  void show(View& view) {
    if (stale_) collect();
    view.in_flight = std::span(ranges_).subspan(first_);
    view.completions = completions_;
  }
  // The policy has seen what there was.
  void shown() {
    completions_.clear();
    ended_.clear();
  }

 private:
  // Ranges end almost in the order of their submission. After one that does not, all are collected again.
  void hide(const Entry& entry) {
    if (entry.place != in_flight_.begin()) stale_ = true;
    if (stale_ || ++first_ * 2 < ranges_.size()) return;
    ranges_.erase(ranges_.begin(), ranges_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  void collect() {
    ranges_.clear();
    first_ = 0;
    for (const Entry& entry : in_flight_) ranges_.push_back(entry.view);
    stale_ = false;
  }

  std::list<Entry> in_flight_, ended_;
  std::vector<Completion> completions_;
  // The ranges in flight begin at first_. They are kept as policies see them, since tens of thousands may be in flight
  // while the policy is asked for each.
  std::vector<RangeView> ranges_;
  std::size_t first_ = 0;
  bool stale_ = false;                               // they are not those in flight
  std::map<std::uint32_t, std::uint64_t> last_end_;  // by queue
};

}  // namespace heddle::sched
