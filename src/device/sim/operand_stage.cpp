#include "device/sim/operand_stage.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {

OperandStage::OperandStage(const MachineDescription& machine, std::size_t warps)
    : parts_(std::max(machine.front.schedulers, 1u)),
      banks_(machine.front.register_banks),
      ports_(machine.front.bank_ports),
      interval_(machine.front.bank_interval),
      window_(machine.front.operand_window),
      swizzle_(machine.front.bank_swizzle),
      reuse_(machine.front.operand_reuse),
      lane_decoders_(machine.front.lane_decoders),
      homes_(banks_ != 0 ? warps : 0),
      file_(std::size_t{parts_} * banks_),
      until_(ports_ > 1 ? file_.size() * ports_ : 0),
      cache_(reuse_ ? file_.size() * cached_slots : 0),
      collectors_(banks_ != 0 ? machine.front.collectors : 0),
      demand_(file_.size()),
      lane_demand_(file_.size()) {
  for (std::uint32_t warp = 0; warp < homes_.size(); ++warp)
    homes_[warp] = {warp % parts_ * banks_, swizzle_ ? warp / parts_ % banks_ : 0};
}

// So many reads of a bank. Returns the cycle in which the last one is done.
Cycle OperandStage::occupy(std::size_t bank, unsigned reads, Cycle now) {
  if (ports_ == 1) return file_[bank].until = std::max(file_[bank].until, now) + Cycle{reads} * interval_;
  const auto ports = std::span(until_).subspan(bank * ports_, ports_);
  Cycle done = now;
  for (; reads != 0; --reads) {
    Cycle& port = *std::min_element(ports.begin(), ports.end());
    port = std::max(port, now) + interval_;
    done = std::max(done, port);
  }
  return done;
}

// Whether the cache has the operand; it has it from now on. A value is there until another one of the same bank and the
// same source of an instruction comes (Huerta et al., section 5.3.1).
bool OperandStage::cached(const OperandRead& read, std::uint32_t warp, std::size_t bank) {
  if (read.slot >= cached_slots) return false;
  Cached& entry = cache_[bank * cached_slots + read.slot];
  const bool hit = entry.warp == warp && entry.reg == read.reg && entry.word == read.word;
  entry = {warp, read.reg, read.word};
  return hit;
}

// The values of these registers are no longer those that the cache has.
void OperandStage::forget(std::span<const std::uint32_t> results, std::uint32_t warp) {
  const std::size_t part = std::size_t{homes_[warp].part} * cached_slots;
  for (Cached& entry : std::span(cache_).subspan(part, std::size_t{banks_} * cached_slots))
    if (entry.warp == warp && std::find(results.begin(), results.end(), entry.reg) != results.end()) entry.warp = ~0u;
}

Cycle OperandStage::read_static(std::span<const OperandRead> reads, std::uint32_t warp, Cycle now,
                                OperandCounts& counts) {
  const Home home = homes_[warp];
  Cycle done = now;
  for (const OperandRead& read : reads) {
    const std::size_t number = home_bank(read, home);
    if (reuse_ && cached(read, warp, number)) {
      ++counts.reused;
      continue;
    }
    Bank& bank = file_[number];
    if (bank.issued != now || bank.warp != warp || bank.reg != read.reg || bank.word != read.word) {
      if (ports_ == 1)  // as most machines have it: this is done for every operand
        bank.done = bank.until = std::max(bank.until, now) + interval_;
      else
        bank.done = occupy(number, 1, now);
      bank.issued = now;
      bank.warp = warp;
      bank.reg = read.reg;
      bank.word = read.word;
      ++counts.reads;
    }
    done = std::max(done, bank.done);
  }
  return done;
}

// Threads of several static warps: each lane reads where its own thread's registers are. Where every lane of the file
// has a decoder, a bank is occupied for as many reads as the lane with the most has of it; else each static warp is a
// read of its own (Dynamic Warp Formation, section 2.6).
Cycle OperandStage::read_formed(std::span<const OperandRead> reads, const IssueGroup& group, Cycle now,
                                OperandCounts& counts) {
  std::fill(demand_.begin(), demand_.end(), 0u);
  std::uint64_t seen = 0;  // static warps of the block that are in the group: a block has 32 at most
  for (LaneMask lanes = group.mask; lanes != 0; lanes &= lanes - 1) {
    const machine::Thread& thread = *(*group.threads)[static_cast<unsigned>(std::countr_zero(lanes))];
    const std::uint32_t home = thread.linear / machine::warp_size;
    if ((seen >> home % 64) & 1) continue;
    seen |= std::uint64_t{1} << home % 64;
    std::fill(lane_demand_.begin(), lane_demand_.end(), 0u);
    const Home at = homes_[group.block->warps[home].slot];
    for (const OperandRead& read : reads) ++lane_demand_[home_bank(read, at)];
    for (std::size_t bank = 0; bank < demand_.size(); ++bank)
      demand_[bank] = lane_decoders_ ? std::max(demand_[bank], lane_demand_[bank]) : demand_[bank] + lane_demand_[bank];
  }
  Cycle done = now;
  for (std::size_t bank = 0; bank < demand_.size(); ++bank) {
    if (demand_[bank] == 0) continue;
    counts.reads += demand_[bank];
    done = std::max(done, occupy(bank, demand_[bank], now));
  }
  return done;
}

// The collector that is free first is occupied, and becomes the last one of the ring, but for those that are for
// longer.
void OperandStage::take_collector(Cycle until) {
  const std::size_t count = collectors_.size();
  std::size_t place = next_collector_;
  next_collector_ = place + 1 == count ? 0 : place + 1;
  while (place != next_collector_) {
    const std::size_t before = place == 0 ? count - 1 : place - 1;
    if (collectors_[before] <= until) break;
    collectors_[place] = collectors_[before];
    place = before;
  }
  collectors_[place] = until;
}

Cycle OperandStage::read(const IssueGroup& group, const CodeTiming& code, Cycle now, OperandCounts& counts) {
  const OpTiming& op = *group.op;
  const std::span<const OperandRead> reads = code.reads(op);
  const Cycle done =
      group.formed ? read_formed(reads, group, now, counts) : read_static(reads, group.slot, now, counts);
  if (reuse_ && op.defs != 0) forget(code.registers(op).subspan(op.uses), group.slot);
  if (!collectors_.empty()) take_collector(std::max(done, now + window_));
  const Cycle late = done > now + window_ ? done - now - window_ : 0;
  counts.late_cycles += late;
  return late;
}

}  // namespace heddle::device::sim
