#include "device/sim/load_store_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace heddle::device::sim {
namespace {

using machine::AccessKind;

constexpr std::uint64_t parameter_window = std::uint64_t{1} << 47;  // above local_window
constexpr std::uint32_t most_bytes = 16;                            // of a lane, in one access

MemorySpace space_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::shared: return MemorySpace::shared;
    case ptx::Space::local: return MemorySpace::local;
    case ptx::Space::constant:
    case ptx::Space::param: return MemorySpace::constant;
    default: return MemorySpace::global;
  }
}

}  // namespace

std::uint64_t LoadStoreQueue::address_of(const BlockContext& block, const IssueGroup& group,
                                         const machine::MemoryAccess& access) const {
  if (access.space == ptx::Space::param) return parameter_window + access.address;
  if (access.space != ptx::Space::local) return access.address;
  const machine::Thread& thread = *(*group.threads)[access.lane];
  const std::uint64_t warp = first_warp_ + block.warps[thread.linear / machine::warp_size].slot;
  return local_address(warp, thread.lane(), access.address, thread.local_bytes());
}

// The accesses from `next` on that are alike; sets `next` behind them. A lane that accesses more than most_bytes at
// once does so in parts; they are at adjacent addresses and counted as one access of the greatest size.
WarpAccess LoadStoreQueue::access_of(const BlockContext& block, const IssueGroup& group,
                                     const machine::Effects& effects, std::size_t& next, bool bypass_l1) const {
  const auto all = effects.accesses();
  const machine::MemoryAccess& first = all[next];
  WarpAccess access;
  access.space = space_of(first.space);
  const bool reduces = effects.operation->action == machine::Action::reduction;
  access.operation = first.kind == AccessKind::load    ? MemoryOperation::load
                     : first.kind == AccessKind::store ? MemoryOperation::store
                     : reduces                         ? MemoryOperation::reduction
                                                       : MemoryOperation::atomic;
  access.bypass_l1 = bypass_l1;
  access.scheduler = group.scheduler;
  access.bytes = static_cast<std::uint8_t>(std::min(first.bytes, most_bytes));
  for (; next < all.size(); ++next) {
    const machine::MemoryAccess& one = all[next];
    const LaneMask lane = LaneMask{1} << one.lane;
    if (space_of(one.space) != access.space || one.kind != first.kind || one.bytes != first.bytes ||
        (access.mask & lane) != 0)
      break;
    access.mask |= lane;
    access.address[one.lane] = address_of(block, group, one);
  }
  return access;
}

std::span<const LaneMask> LoadStoreQueue::passes(const BlockContext& block, const IssueGroup& group,
                                                 const machine::Effects& effects, unsigned line) {
  passes_.clear();
  std::array<std::uint64_t, machine::warp_size> known;  // by pass: line, and which lanes are one request
  LaneMask lanes = 0;
  for (const machine::MemoryAccess& one : effects.accesses()) {
    const MemorySpace space = space_of(one.space);
    const LaneMask lane = LaneMask{1} << one.lane;
    if ((space != MemorySpace::global && space != MemorySpace::local) || one.bytes > most_bytes || (lanes & lane) != 0)
      return {};
    lanes |= lane;
    const unsigned requests = std::max(one.bytes / 4, 1u);  // words of 8 bytes: a half of the warp at a time
    const std::uint64_t wanted =
        address_of(block, group, one) / line * machine::warp_size + one.lane * requests / machine::warp_size;
    std::size_t pass = 0;
    while (pass < passes_.size() && known[pass] != wanted) ++pass;
    if (pass == passes_.size()) {
      known[pass] = wanted;
      passes_.push_back(0);
    }
    passes_[pass] |= lane;
  }
  if (passes_.size() < 2) return {};
  return passes_;
}

std::uint32_t LoadStoreQueue::take_number() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(in_flight_.size()));
    in_flight_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  return number;
}

// Puts the lanes of an access into one that waits, is alike and has room, or into a new one.
void LoadStoreQueue::join(const WarpAccess& access, std::uint32_t number) {
  const auto lanes = static_cast<unsigned>(std::popcount(access.mask));
  const auto takes = [&](const Waiting& one) {
    const WarpAccess& other = one.access;
    return one.joint && other.space == access.space && other.operation == access.operation &&
           other.bytes == access.bytes && other.bypass_l1 == access.bypass_l1 &&
           static_cast<unsigned>(std::popcount(other.mask)) + lanes <= machine::warp_size;
  };
  auto found = std::find_if(waiting_.begin(), waiting_.end(), takes);
  if (found == waiting_.end()) {
    const std::uint32_t joint = take_number();
    in_flight_[joint] = {};
    in_flight_[joint].parts = 1;
    Waiting made{access, joint, true};
    made.access.mask = 0;
    waiting_.push_back(made);
    found = waiting_.end() - 1;
  }
  in_flight_[found->number].members.push_back(number);
  for (LaneMask rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto free = static_cast<unsigned>(std::countr_one(found->access.mask));
    found->access.mask |= LaneMask{1} << free;
    found->access.address[free] = access.address[static_cast<unsigned>(std::countr_zero(rest))];
  }
}

std::uint32_t LoadStoreQueue::send(BlockContext& block, const IssueGroup& group, const machine::Effects& effects,
                                   bool bypass_l1, IssueGroup* waits, bool writes) {
  const std::uint32_t number = take_number();
  in_flight_[number] = {&block, group.warp, 0, 0, waits, block.warps[group.warp].physical, writes};
  const bool joins = block.divergence->shares_slots();
  for (std::size_t next = 0; next < effects.accesses().size();) {
    const std::size_t begin = next;
    WarpAccess access = access_of(block, group, effects, next, bypass_l1);
    const std::uint32_t bytes = effects.accesses()[begin].bytes;
    for (std::uint32_t done = 0; done < bytes; done += most_bytes) {
      if (joins)
        join(access, number);
      else
        waiting_.push_back({access, number});
      ++in_flight_[number].parts;
      if (done + most_bytes >= bytes) break;
      for (unsigned lane = 0; lane < machine::warp_size; ++lane)
        if ((access.mask >> lane) & 1) access.address[lane] += most_bytes;
    }
  }
  ++block.warps[group.warp].outstanding;
  return number;
}

void LoadStoreQueue::complete(std::uint32_t number, Cycle ready) {
  InFlight& instruction = in_flight_[number];
  instruction.ready = std::max(instruction.ready, ready);
  if (--instruction.parts != 0) return;
  free_.push_back(number);
  const std::vector<std::uint32_t> members = std::move(instruction.members);
  instruction.members.clear();
  for (const std::uint32_t member : members) complete(member, ready);
  if (!members.empty()) return;
  if (!instruction.block) return;
  --instruction.block->warps[instruction.warp].outstanding;
  done_.push_back({instruction.block, instruction.warp, number, instruction.ready, instruction.group,
                   instruction.physical, instruction.writes});
}

void LoadStoreQueue::advance(Cycle now) {
  memory_.advance(now);
  for (const Completion& completion : memory_.completions()) complete(completion.tag, completion.ready);
  memory_.clear_completions();
  offers_.clear();
  for (const Waiting& one : waiting_) {
    const BlockContext* block = in_flight_[one.number].block;
    offers_.push_back({!block || block->active});
  }
  for (std::size_t refused = 0;;) {
    const std::size_t next = policy_->next(offers_, refused);
    if (next >= offers_.size()) return;
    const Admission answer = memory_.access(now, waiting_[next].access, waiting_[next].number);
    if (answer.stall == MemoryStall::busy) return;  // its port takes no other one either
    if (!answer.accepted()) {
      ++refused;
      continue;
    }
    offers_.erase(offers_.begin() + static_cast<std::ptrdiff_t>(next));
    const std::uint32_t number = waiting_[next].number;
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(next));
    if (answer.ready != never) complete(number, answer.ready);
  }
}

std::size_t LoadStoreQueue::waiting_of(const BlockContext& block) const {
  return static_cast<std::size_t>(std::count_if(
      waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return in_flight_[one.number].block == &block; }));
}

void LoadStoreQueue::forget(const BlockContext& block) {
  for (InFlight& instruction : in_flight_)
    if (instruction.block == &block) instruction.block = nullptr;
}

}  // namespace heddle::device::sim
