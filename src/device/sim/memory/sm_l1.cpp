// Transactions of an SM at its L1, and what comes back for them.
#include <algorithm>
#include <bit>

#include "device/sim/memory/sm_memory.hpp"

namespace heddle::device::sim {

std::uint64_t SmMemory::line_of(const Transaction& transaction) const {
  const auto first = static_cast<unsigned>(std::countr_zero(transaction.sectors));
  return (transaction.chunk + first * sector_bytes) / l1_.line;
}

MemoryStall SmMemory::serve(const Queued& access, const Transaction& transaction, Cycle now) {
  switch (access.operation) {
    case MemoryOperation::load: return load(access, transaction, now);
    case MemoryOperation::store: return store(access, transaction, now);
    default: return atomic(access, transaction, now);
  }
}

MemoryStall SmMemory::load(const Queued& access, const Transaction& transaction, Cycle now) {
  if (access.cached) return load_cached(access, transaction, now);
  if (mshrs_.full()) return MemoryStall::mshrs_full;
  const std::uint32_t mshr = allocate_mshr(line_of(transaction), false, now);
  mshrs_.expect(mshr, transaction.sectors);
  mshrs_.wait(mshr, {access.flight, transaction.sectors});
  send(RequestKind::load, transaction, transaction.sectors, mshr, now + l1_.miss_latency);
  return MemoryStall::none;
}

MemoryStall SmMemory::load_cached(const Queued& access, const Transaction& transaction, Cycle now) {
  const std::uint64_t number = line_of(transaction);
  const SectorMask wanted = widened(transaction.sectors, l1_.sector);
  TagArray::Line* line = tags_.find(number);
  const auto valid = static_cast<SectorMask>(line != nullptr ? line->valid : 0);
  if ((wanted & ~valid) == 0) {
    ++counters_.l1.hits;
    finish(access.flight, now + l1_.latency);
    return MemoryStall::none;
  }
  const auto missing = static_cast<SectorMask>(wanted & ~valid);
  std::uint32_t mshr = mshrs_.find(number);
  const bool merges = mshr != mshrs_.none;
  if (merges && !mshrs_.mergeable(mshr)) return MemoryStall::merges_full;
  if (!merges && mshrs_.full()) return MemoryStall::mshrs_full;
  if (!merges && l1_.allocation == Allocation::on_miss) {
    if (line == nullptr) {
      TagArray::Line evicted;
      line = tags_.allocate(number, evicted);
      if (line == nullptr) return MemoryStall::set_reserved;
      write_back(evicted, now);
    }
    line->pending = 1;
  }
  if (!merges) mshr = allocate_mshr(number, true, now);
  const auto asked = static_cast<SectorMask>(missing & ~(merges ? mshrs_.pending(mshr) : 0));
  mshrs_.expect(mshr, asked);
  mshrs_.wait(mshr, {access.flight, missing});
  ++(asked == 0 ? counters_.l1.pending_hits : counters_.l1.misses);
  if (asked != 0) send(RequestKind::load, transaction, asked, mshr, now + l1_.miss_latency);
  return MemoryStall::none;
}

// The changed part of a line that leaves the cache goes on.
void SmMemory::write_back(const TagArray::Line& line, Cycle now) {
  if (line.used != 0) ++counters_.l1.evictions;
  if (line.dirty == 0) return;
  ++counters_.l1.write_backs;
  Transaction written;
  written.chunk = line.number * l1_.line & ~std::uint64_t{chunk_bytes - 1};
  written.sectors = static_cast<SectorMask>(line.dirty);
  for (unsigned sector = 0; sector < 4; ++sector) {
    if ((line.dirty >> sector & 1) != 0) written.words |= 0xffu << 8 * sector;
  }
  send(RequestKind::write_back, written, written.sectors, 0, now);
}

// A copy of what another unit changes.
void SmMemory::drop_copy(const Transaction& transaction) {
  if (!tags_.exists()) return;
  TagArray::Line* line = tags_.find(line_of(transaction));
  if (line != nullptr && line->pending == 0 && line->dirty == 0) *line = TagArray::Line{};
}

MemoryStall SmMemory::store(const Queued& access, const Transaction& transaction, Cycle now) {
  if (access.cached && access.write == WritePolicy::back) return keep(access, transaction, now);
  if (stores_ >= lsu_.stores) return MemoryStall::stores_full;
  if (access.write == WritePolicy::evict) drop_copy(transaction);
  ++stores_;
  send(RequestKind::store, transaction, transaction.sectors, access.flight | to_store << target_shift, now);
  return MemoryStall::none;
}

// Written into the cache alone; a sector that was written counts as there.
MemoryStall SmMemory::keep(const Queued& access, const Transaction& transaction, Cycle now) {
  const std::uint64_t number = line_of(transaction);
  TagArray::Line* line = tags_.find(number);
  ++(line != nullptr ? counters_.l1.hits : counters_.l1.misses);
  if (line == nullptr) {
    TagArray::Line evicted;
    line = tags_.allocate(number, evicted);
    if (line == nullptr) {
      --counters_.l1.misses;
      return MemoryStall::set_reserved;
    }
    write_back(evicted, now);
  }
  const SectorMask written = widened(transaction.sectors, l1_.sector);
  line->valid |= written;
  line->dirty |= written;
  finish(access.flight, now + 1);
  return MemoryStall::none;
}

// The L2 executes atomic operations.
MemoryStall SmMemory::atomic(const Queued& access, const Transaction& transaction, Cycle now) {
  const bool has_result = access.operation == MemoryOperation::atomic;
  if (has_result && mshrs_.full()) return MemoryStall::mshrs_full;
  if (!has_result && stores_ >= lsu_.stores) return MemoryStall::stores_full;
  drop_copy(transaction);
  if (!has_result) {
    ++stores_;
    send(RequestKind::reduction, transaction, transaction.sectors, access.flight | to_store << target_shift, now);
    return MemoryStall::none;
  }
  const std::uint32_t mshr = allocate_mshr(line_of(transaction), false, now);
  mshrs_.expect(mshr, transaction.sectors);
  mshrs_.wait(mshr, {access.flight, transaction.sectors});
  send(RequestKind::atomic, transaction, transaction.sectors, mshr, now);
  return MemoryStall::none;
}

std::uint32_t SmMemory::allocate_mshr(std::uint64_t line, bool findable, Cycle now) {
  count_mshrs(now);
  const std::uint32_t made = mshrs_.allocate(line, findable);
  counters_.mshr_most = std::max<std::uint64_t>(counters_.mshr_most, mshrs_.used());
  return made;
}

void SmMemory::count_mshrs(Cycle now) {
  counters_.mshr_cycles += mshrs_.used() * (now - mshrs_counted_);
  mshrs_counted_ = now;
}

// Through the SM's port, one packet after the other.
void SmMemory::send(RequestKind kind, const Transaction& transaction, SectorMask sectors, std::uint32_t id, Cycle now) {
  const AddressMap::Place place = map_.place(transaction.chunk);
  const unsigned data = kind == RequestKind::load ? 0
                        : transaction.operations != 0 && (kind == RequestKind::atomic || kind == RequestKind::reduction)
                            ? transaction.operations * 4u
                            : static_cast<unsigned>(std::popcount(transaction.words)) * 4;
  const unsigned bytes = header_bytes_ + data;
  counters_.sent_bytes += bytes;
  request_port_ = std::max(request_port_, ticks(now)) + request_rate_.time(bytes);
  sent_.push_back({request_port_ + crossbar_latency_, place.address, transaction.words, id, sequence_++, sm_,
                   static_cast<std::uint16_t>(place.slice), kind, sectors, transaction.operations,
                   transaction.at_one_word});
}

void SmMemory::settle(Ticks bound) {
  if (incoming_.empty()) return;
  std::sort(incoming_.begin(), incoming_.end(), [](const Response& a, const Response& b) { return a.before(b); });
  std::size_t settled = 0;
  for (; settled < incoming_.size() && incoming_[settled].departure < bound; ++settled) {
    const Response& response = incoming_[settled];
    const unsigned bytes = header_bytes_ + response.bytes;
    counters_.received_bytes += bytes;
    response_port_ = std::max(response_port_, response.departure + crossbar_latency_) + response_rate_.time(bytes);
    arriving_.push({cycle_after(response_port_), response.id, response.sectors});
  }
  incoming_.erase(incoming_.begin(), incoming_.begin() + static_cast<std::ptrdiff_t>(settled));
}

void SmMemory::arrive(const Arriving& arrived) {
  const std::uint32_t index = arrived.id & ((1u << target_shift) - 1);
  switch (arrived.id >> target_shift) {
    case to_l1: fill(index, arrived.sectors, arrived.cycle); break;
    case to_constant: fill_constant(index, arrived.sectors, arrived.cycle); break;
    default:
      --stores_;
      finish(index, arrived.cycle);
      break;
  }
  unblock(arrived.cycle);
}

void SmMemory::fill(std::uint32_t mshr, SectorMask sectors, Cycle now) {
  count_mshrs(now);
  const std::uint64_t number = mshrs_.line(mshr);
  TagArray::Line* line = nullptr;
  if (mshrs_.findable(mshr)) {
    line = tags_.find(number);
    if (line == nullptr) {
      TagArray::Line evicted;
      line = tags_.allocate(number, evicted);
      if (line != nullptr) write_back(evicted, now);
    }
    if (line != nullptr) line->valid |= sectors;
  }
  const bool complete =
      mshrs_.arrived(mshr, sectors, [&](const Waiter& waiter) { finish(waiter.flight, now + l1_.fill_latency); });
  if (complete && line != nullptr) line->pending = 0;
}

void SmMemory::fill_constant(std::uint32_t mshr, SectorMask sectors, Cycle now) {
  TagArray::Line evicted;
  const std::uint64_t number = constant_mshrs_.line(mshr);
  if (constant_tags_.find(number) == nullptr) {
    if (TagArray::Line* line = constant_tags_.allocate(number, evicted)) line->valid = all_sectors;
    if (evicted.used != 0) ++counters_.constant.evictions;
  }
  constant_mshrs_.arrived(mshr, sectors, [&](const Waiter& waiter) { finish(waiter.flight, now + l1_.fill_latency); });
}

void SmMemory::invalidate(Cycle now) {
  advance(now);
  tags_.clear([&](const TagArray::Line& line) { write_back(line, now); });
  constant_tags_.clear([](const TagArray::Line&) {});
}

}  // namespace heddle::device::sim
