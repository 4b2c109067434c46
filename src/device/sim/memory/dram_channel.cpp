#include "device/sim/memory/dram_channel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::device::sim {

DramChannel::DramChannel(const MachineDescription& machine)
    : dram_(machine.dram),
      limit_(machine.dram.queue),
      row_shift_(static_cast<unsigned>(std::countr_zero(machine.dram.row_bytes))),
      bank_mask_(machine.dram.banks - 1),
      latency_(ticks(machine.dram.latency)),
      banks_(machine.dram.banks) {
  const double clock = ticks(1) * machine.clocks.sm_mhz / machine.clocks.dram_mhz;
  const auto time = [&](unsigned clocks) { return static_cast<Ticks>(std::llround(clocks * clock)); };
  timing_ = {time(dram_.t_cl),  time(dram_.t_rp), time(dram_.t_rc),  time(dram_.t_ras), time(dram_.t_rcd),
             time(dram_.t_rrd), time(dram_.t_wr), time(dram_.t_wtr), time(dram_.t_rfc), time(dram_.t_refi)};
  byte_256_ = static_cast<std::uint64_t>(std::llround(clock * 256 / dram_.bytes_per_clock));
  lookahead_ = timing_.rp + timing_.rcd + timing_.cl;
  if (timing_.refi != 0) next_refresh_ = timing_.refi;
  if (dram_.model == DramModel::fixed) lookahead_ = 0;
}

void DramChannel::add(std::vector<Waiting>& to, Ticks arrival, std::uint64_t address, unsigned bytes,
                      std::uint32_t slice, std::uint32_t id) {
  const unsigned moved = (bytes + dram_.burst - 1) / dram_.burst * dram_.burst;
  const Waiting made{arrival, address >> row_shift_, moved, slice, id};
  auto at = to.end();
  while (at != to.begin() && (at - 1)->arrival > arrival) --at;
  to.insert(at, made);
}

void DramChannel::read(Ticks arrival, std::uint64_t address, unsigned bytes, std::uint32_t slice, std::uint32_t id) {
  add(reads_, arrival, address, bytes, slice, id);
}
void DramChannel::write(Ticks arrival, std::uint64_t address, unsigned bytes) {
  add(writes_, arrival, address, bytes, 0, 0);
}

Ticks DramChannel::next_decision() const {
  Ticks first = none;
  if (!reads_.empty()) first = reads_.front().arrival;
  if (!writes_.empty()) first = std::min(first, writes_.front().arrival);
  if (first == none) return none;
  const Ticks early = free_ > lookahead_ ? free_ - lookahead_ : 0;
  return std::max({first, early, decided_});
}

// At `now` at least one request has arrived.
bool DramChannel::serves_writes(Ticks now) {
  const bool read = !reads_.empty() && reads_.front().arrival <= now;
  const bool write = !writes_.empty() && writes_.front().arrival <= now;
  if (writes_.size() >= dram_.write_high) draining_ = true;
  if (writes_.size() <= dram_.write_low) draining_ = false;
  return write && (draining_ || !read);
}

std::size_t DramChannel::choose(const std::vector<Waiting>& from, Ticks now) const {
  if (dram_.order == DramOrder::fcfs || dram_.model == DramModel::fixed) return 0;
  const std::size_t seen = std::min<std::size_t>(from.size(), limit_);
  for (std::size_t i = 0; i < seen && from[i].arrival <= now; ++i) {
    if (banks_[from[i].row & bank_mask_].row == from[i].row) return i;
  }
  return 0;
}

// All banks are closed for tRFC, once in every interval; those of a time without requests are over.
void DramChannel::refresh(Ticks& now) {
  if (now < next_refresh_) return;
  const Ticks passed = (now - next_refresh_) / timing_.refi;
  const Ticks begin = std::max(next_refresh_ + passed * timing_.refi, free_);
  next_refresh_ += (passed + 1) * timing_.refi;
  counters_.refreshes += passed + 1;
  for (Bank& bank : banks_) bank.row = closed;
  now = std::max(now, begin + timing_.rfc);
}

// The time from which the row's columns may be accessed.
Ticks DramChannel::open_row(Bank& bank, std::uint64_t row, Ticks now) {
  if (bank.row == row) {
    ++counters_.row_hits;
    return now;
  }
  Ticks activation = std::max(now, bank.activate);
  if (bank.row == closed) {
    ++counters_.row_misses;
  } else {
    ++counters_.row_conflicts;
    activation = std::max(activation, std::max(now, bank.precharge) + timing_.rp);
  }
  if (any_activation_) activation = std::max(activation, last_activation_ + timing_.rrd);
  any_activation_ = true;
  last_activation_ = activation;
  bank.row = row;
  bank.activate = activation + timing_.rc;
  bank.precharge = activation + timing_.ras;
  return activation + timing_.rcd;
}

bool DramChannel::row_is_wanted(std::uint64_t row) const {
  const auto wants = [&](const Waiting& waiting) { return waiting.row == row; };
  return std::any_of(reads_.begin(), reads_.end(), wants) || std::any_of(writes_.begin(), writes_.end(), wants);
}

void DramChannel::transfer(const Waiting& request, bool is_write, Ticks now) {
  const Ticks busy = (request.bytes * byte_256_ + 128) >> 8;
  Ticks begin;
  if (dram_.model == DramModel::fixed) {
    begin = std::max(now, free_);
    free_ = begin + busy;
    // The latency is that of a request that waits for no other: its own transfer is a part of it.
    if (!is_write) done_.push({std::max(begin + latency_, free_), request.slice, request.id});
  } else {
    Bank& bank = banks_[request.row & bank_mask_];
    Ticks column = open_row(bank, request.row, now);
    if (!is_write && any_write_) column = std::max(column, last_write_ + timing_.wtr);
    begin = std::max(column + timing_.cl, free_);
    free_ = begin + busy;
    bank.precharge = std::max(bank.precharge, free_ + (is_write ? timing_.wr : 0));
    if (is_write) last_write_ = free_, any_write_ = true;
    if (dram_.row_policy == RowPolicy::closed && !row_is_wanted(request.row)) {
      bank.row = closed;
      bank.activate = std::max(bank.activate, bank.precharge + timing_.rp);
    }
    if (!is_write) done_.push({free_ + latency_, request.slice, request.id});
  }
  counters_.busy_ticks += busy;
  counters_.bytes += request.bytes;
  ++(is_write ? counters_.writes : counters_.reads);
}

void DramChannel::decide() {
  Ticks now = next_decision();
  decided_ = now;
  const bool is_write = serves_writes(now);
  std::vector<Waiting>& from = is_write ? writes_ : reads_;
  const std::size_t chosen = choose(from, now);
  const Waiting request = from[chosen];
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(chosen));
  refresh(now);
  transfer(request, is_write, now);
}

}  // namespace heddle::device::sim
