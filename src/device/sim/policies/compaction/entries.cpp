#include "device/sim/policies/compaction/entries.hpp"

#include <algorithm>
#include <array>

#include "device/sim/policies/reconvergence.hpp"

namespace heddle::device::sim {

using machine::Thread;

BlockEntries::BlockEntries(machine::Block& block, const std::vector<std::uint8_t>& homes, ProgramTiming& timing,
                           PolicyCounts& counts)
    : block_(block), homes_(homes), timing_(timing), counts_(counts), of_(block.threads.size()) {
  Threads all;
  for (Thread& thread : block_.threads) all.push_back(&thread);
  form(make(nullptr, {}, all), all, 0);
}

FormedWarp& BlockEntries::fresh() {
  if (spare_.empty()) {
    storage_.push_back(std::make_unique<FormedWarp>());
    spare_.push_back(storage_.back().get());
  }
  FormedWarp& warp = *spare_.back();
  spare_.pop_back();
  warp = {};
  warp.threads = &warp.lanes;
  warp.formed = true;
  return warp;
}

BlockEntries::Entry& BlockEntries::make(Entry* parent, const Place& reconverge, const Threads& threads) {
  entries_.push_back(std::make_unique<Entry>());
  Entry& entry = *entries_.back();
  entry.parent = parent;
  entry.reconverge = reconverge;
  entry.live = static_cast<std::uint32_t>(threads.size());
  for (const Thread* thread : threads) of_[thread->linear] = &entry;
  if (parent) ++parent->children;
  return entry;
}

// The one that was made last, of those that have waited least.
BlockEntries::Entry* BlockEntries::active() {
  Entry* best = nullptr;
  for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) {
    Entry& entry = **at;
    if (entry.ready.empty() && entry.away == 0) continue;
    if (!best || entry.turns < best->turns) best = &entry;
  }
  return best;
}

// Each lane gives its first thread to the first warp, the next one to the next: as priority encoders of the lanes do.
void BlockEntries::form(Entry& entry, const Threads& threads, std::uint32_t first) {
  std::array<std::uint32_t, machine::warp_size> next{};
  std::vector<FormedWarp*> warps;
  for (Thread* const thread : threads) {
    const unsigned lane = homes_[thread->linear];
    const std::uint32_t number = next[lane]++;
    while (warps.size() <= number) {
      FormedWarp& warp = fresh();
      warp.at = place_of(*thread);
      warp.warp = static_cast<std::uint32_t>((first + warps.size()) % block_.warps.size());
      warps.push_back(&warp);
    }
    warps[number]->lanes[lane] = thread;
    warps[number]->mask |= LaneMask{1} << lane;
  }
  entry.ready.insert(entry.ready.end(), warps.begin(), warps.end());
}

void BlockEntries::compact(Entry& entry, const Threads& threads) {
  const std::size_t before = entry.ready.size();
  form(entry, threads, 0);
  counts_[PolicyEvent::compacted] += entry.ready.size() - before;
}

void BlockEntries::arrive(Entry& entry, const Threads& threads, const Place& from) {
  entry.arrived.insert(entry.arrived.end(), threads.begin(), threads.end());
  if (from.code != nullptr) entry.from = from;
}

void BlockEntries::exit(Thread& thread) {
  Entry*& entry = of_[thread.linear];
  if (!entry) return;
  --entry->live;
  entry = nullptr;
}

Place BlockEntries::join_of(const Threads& threads, const Place& from) const {
  if (from.code == nullptr) return {};
  machine::LaneThreads one{};
  one[0] = threads.front();
  return reconvergence_of(one, 1, from, timing_);
}

void BlockEntries::settle(Entry& entry) {
  if (entry.arrived.size() < entry.live || entry.away != 0 || !entry.ready.empty()) return;
  if (entry.live == 0) {
    if (entry.children == 0) finish(entry);
    return;
  }
  Threads all = std::move(entry.arrived);
  entry.arrived.clear();
  std::sort(all.begin(), all.end(), [](const Thread* a, const Thread* b) { return a->linear < b->linear; });
  std::vector<Threads> parts;
  for (Thread* const thread : all) {
    const Place place = place_of(*thread);
    if (entry.parent && entry.reconverge.code != nullptr && place == entry.reconverge) {
      entry.parent->joined.push_back(thread);
      of_[thread->linear] = entry.parent;
      --entry.live;
      continue;
    }
    const auto same =
        std::find_if(parts.begin(), parts.end(), [&](const Threads& part) { return place_of(*part.front()) == place; });
    if (same == parts.end())
      parts.push_back({thread});
    else
      same->push_back(thread);
  }
  if (parts.empty())
    finish(entry);
  else if (parts.size() == 1)
    compact(entry, parts.front());
  else
    part(entry, parts);
}

// The threads of the entry go on in entries of their own. It waits for them at their join, unless that is its own.
void BlockEntries::part(Entry& entry, std::vector<Threads>& parts) {
  counts_[PolicyEvent::parted] += parts.size() - 1;
  const Place join = join_of(parts.front(), entry.from);
  const bool waits = join.code != nullptr && (join != entry.reconverge || !entry.parent);
  Entry* const parent = waits || !entry.parent ? &entry : entry.parent;
  const Place reconverge = join.code != nullptr ? join : entry.reconverge;
  entry.live = 0;
  for (Threads& threads : parts) {
    if (waits && place_of(*threads.front()) == join) {
      for (const Thread* thread : threads) of_[thread->linear] = &entry;
      entry.joined.insert(entry.joined.end(), threads.begin(), threads.end());
      continue;
    }
    Entry& side = make(parent, reconverge, threads);
    side.turns = entry.turns;
    compact(side, threads);
  }
  if (parent != &entry) remove(entry);
}

// No thread of the entry is left in it or below: those that have joined go on.
void BlockEntries::finish(Entry& entry) {
  if (entry.joined.empty()) {
    if (entry.parent) {
      Entry& parent = *entry.parent;
      remove(entry);
      if (parent.children == 0 && parent.live == 0) finish(parent);
    }
    return;
  }
  ++counts_[PolicyEvent::joined];
  entry.arrived = std::move(entry.joined);
  entry.joined.clear();
  entry.live = static_cast<std::uint32_t>(entry.arrived.size());
  settle(entry);
}

void BlockEntries::remove(Entry& entry) {
  if (entry.parent) --entry.parent->children;
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& one) { return one.get() == &entry; });
  entries_.erase(found);
}

// These threads go on without the others of their entry, up to its join.
void BlockEntries::alone(Entry& beside, Threads threads) {
  Entry& entry = make(beside.parent, beside.reconverge, threads);
  entry.from = beside.from;
  entry.arrived = std::move(threads);
  settle(entry);
}

bool BlockEntries::release_joined() {
  for (std::size_t i = entries_.size(); i-- > 0;) {
    Entry& entry = *entries_[i];
    if (entry.joined.empty()) continue;
    Threads threads = std::move(entry.joined);
    entry.joined.clear();
    alone(entry, std::move(threads));
    return true;
  }
  return false;
}

bool BlockEntries::release_alone() {
  if (release_joined()) return true;
  for (std::size_t i = entries_.size(); i-- > 0;) {
    Entry& entry = *entries_[i];
    if (entry.arrived.empty()) continue;
    Threads threads = std::move(entry.arrived);
    entry.arrived.clear();
    entry.live -= static_cast<std::uint32_t>(threads.size());
    alone(entry, std::move(threads));
    return true;
  }
  return false;
}

void BlockEntries::yield(Entry& entry) {
  ++entry.turns;
  const bool others = std::any_of(entries_.begin(), entries_.end(), [&](const auto& one) {
    return (!one->ready.empty() || one->away != 0) && one->turns < entry.turns;
  });
  if (!others) release_joined();
}

void BlockEntries::settle(const std::vector<Entry*>& entries) {
  for (Entry* const entry : entries) {
    const bool there =
        std::any_of(entries_.begin(), entries_.end(), [&](const auto& one) { return one.get() == entry; });
    if (there) settle(*entry);
  }
}

}  // namespace heddle::device::sim
