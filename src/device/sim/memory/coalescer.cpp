#include "device/sim/memory/coalescer.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {
namespace {

constexpr unsigned half_warp = 16;

std::uint32_t words_of(std::uint64_t address, unsigned bytes) {
  const std::uint32_t words = bytes <= 4 ? 1 : (1u << (bytes / 4)) - 1;
  return words << (address % chunk_bytes / 4);
}
std::uint64_t chunk_of(std::uint64_t address) { return address & ~std::uint64_t{chunk_bytes - 1}; }
SectorMask sectors_of(std::uint64_t address, unsigned bytes) {  // an aligned segment within a chunk
  const auto mask = static_cast<SectorMask>((1u << (std::max(bytes, sector_bytes) / sector_bytes)) - 1);
  return static_cast<SectorMask>(mask << (address % chunk_bytes / sector_bytes));
}

// Thread k at word k of an aligned segment of 16 words.
bool in_order(const WarpAccess& access, unsigned first_lane, std::uint32_t mask) {
  if (access.bytes < 4) return false;
  const std::uint64_t segment = half_warp * access.bytes;
  const unsigned first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t base = access.address[first] - (first - first_lane) * access.bytes;
  if (base % segment != 0) return false;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    if (access.address[lane] != base + (lane - first_lane) * access.bytes) return false;
  }
  return true;
}

void half_warp_in_order(const WarpAccess& access, unsigned first_lane, std::uint32_t mask, Transactions& result) {
  if (!in_order(access, first_lane, mask)) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(left))];
      result.add({chunk_of(address), words_of(address, access.bytes), sectors_of(address, sector_bytes), 1, 1});
    }
    return;
  }
  const unsigned first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t base = access.address[first] - (first - first_lane) * access.bytes;
  const unsigned bytes = half_warp * access.bytes, of_each = std::min(bytes, chunk_bytes);
  for (unsigned at = 0; at < bytes; at += of_each) {
    Transaction made{chunk_of(base + at), 0, sectors_of(base + at, of_each), 0, 1};
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(left))];
      if (chunk_of(address) != made.chunk) continue;
      made.words |= words_of(address, access.bytes);
      ++made.operations;
    }
    result.add(made);
  }
}

void half_warp_segments(const WarpAccess& access, std::uint32_t mask, Transactions& result) {
  const std::uint64_t widest = access.bytes == 1 ? 32 : access.bytes == 2 ? 64 : 128;
  while (mask != 0) {
    const std::uint64_t at = access.address[static_cast<unsigned>(std::countr_zero(mask))];
    const std::uint64_t segment = at & ~(widest - 1);
    Transaction made{chunk_of(at), 0, 0, 0, 1};
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t address = access.address[lane];
      if ((address & ~(widest - 1)) != segment) continue;
      made.words |= words_of(address, access.bytes);
      ++made.operations;
      low = std::min(low, address);
      high = std::max(high, address + access.bytes - 1);
      mask &= ~(1u << lane);
    }
    std::uint64_t bytes = widest;
    while (bytes > sector_bytes && (low & ~(bytes / 2 - 1)) == (high & ~(bytes / 2 - 1))) bytes /= 2;
    made.sectors = sectors_of(low & ~(bytes - 1), static_cast<unsigned>(bytes));
    result.add(made);
  }
}

// Lanes of one request; `granule` is a line.
void distinct_lines(const WarpAccess& access, std::uint32_t mask, unsigned granule, Transactions& result) {
  const unsigned begin = result.count;
  const std::uint64_t line_bits = ~std::uint64_t{granule - 1};
  std::array<std::uint64_t, 32> line;  // of each transaction
  unsigned last = begin;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(mask))];
    const std::uint64_t wanted = address & line_bits;
    if (last >= result.count || line[last] != wanted) {
      for (last = begin; last < result.count && line[last] != wanted;) ++last;
      if (last == result.count) {
        line[last] = wanted;
        result.add({chunk_of(address), 0, 0, 0, 1});
      }
    }
    result.list[last].words |= words_of(address, access.bytes);
    ++result.list[last].operations;
  }
  for (unsigned i = begin; i < result.count; ++i) result.list[i].sectors = touched_sectors(result.list[i].words);
}

// How many threads meet at a word, at most.
void count_meetings(const WarpAccess& access, unsigned granule, Transactions& result) {
  const std::uint64_t bits = ~std::uint64_t{granule - 1};
  for (unsigned i = 0; i < result.count; ++i) {
    Transaction& made = result.list[i];
    if (made.operations <= 1) continue;
    std::array<std::uint8_t, 32> at{};
    const std::uint64_t line = (made.chunk + static_cast<unsigned>(std::countr_zero(made.words)) * 4) & bits;
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(left))];
      if ((address & bits) == line) {
        made.at_one_word = std::max(made.at_one_word, ++at[address % chunk_bytes / 4]);
      }
    }
  }
}

// All threads load or store the words of one aligned chunk, in order: the usual case.
bool is_whole_chunk(const WarpAccess& access) {
  if (access.mask != ~0u || access.bytes != 4 || access.address[0] % chunk_bytes != 0) return false;
  std::uint64_t difference = 0;
  for (unsigned lane = 0; lane < 32; ++lane) difference |= access.address[lane] ^ (access.address[0] + lane * 4);
  return difference == 0;
}

}  // namespace

SectorMask touched_sectors(std::uint32_t words) {
  return static_cast<SectorMask>(((words & 0xff) != 0) | ((words & 0xff00) != 0) << 1 | ((words & 0xff0000) != 0) << 2 |
                                 ((words & 0xff000000) != 0) << 3);
}

SectorMask whole_sectors(std::uint32_t words) {
  return static_cast<SectorMask>(~touched_sectors(~words) & all_sectors);
}

void Coalescer::coalesce(const WarpAccess& access, bool whole_lines, Transactions& result) const {
  result.count = 0;
  const bool by_half_warp = rule_ == CoalescingRule::half_warp_in_order || rule_ == CoalescingRule::half_warp_segments;
  if (!by_half_warp && line_ == chunk_bytes && is_whole_chunk(access)) {
    result.add({access.address[0], ~0u, all_sectors, 32, 1});
    return;
  }
  const unsigned lanes = by_half_warp ? half_warp : access.bytes <= 4 ? 32 : 128 / access.bytes;
  for (unsigned first = 0; first < 32; first += lanes) {
    const std::uint32_t group = lanes == 32 ? ~0u : ((1u << lanes) - 1) << first;
    const std::uint32_t mask = access.mask & group;
    if (mask == 0) continue;
    if (rule_ == CoalescingRule::half_warp_in_order) {
      half_warp_in_order(access, first, mask, result);
    } else if (rule_ == CoalescingRule::half_warp_segments) {
      half_warp_segments(access, mask, result);
    } else {
      distinct_lines(access, mask, line_, result);
    }
  }
  if (access.operation >= MemoryOperation::atomic) count_meetings(access, by_half_warp ? chunk_bytes : line_, result);
  if (rule_ == CoalescingRule::lines && whole_lines) {
    for (unsigned i = 0; i < result.count; ++i) {
      result.list[i].sectors = widened(result.list[i].sectors, line_);
    }
  }
}

}  // namespace heddle::device::sim
