// The transactions that the accesses of a warp become (tesla.md, section 2.6, and the CUDA programming guides):
//   half_warp_in_order  compute capability 1.0: the threads of a half-warp read word k with thread k, 4, 8 or 16 bytes,
//                       of an aligned segment: one transaction of 64 or 128 bytes, two of 128 for words of 16 bytes.
//                       Else each active thread has one of 32 bytes.
//   half_warp_segments  compute capability 1.2: the segment of the lowest active thread, 32, 64 or 128 bytes for words
//   of
//                       1, 2 and more bytes; halved while one half suffices; again for the threads that are left.
//   lines, sectors      the lines that a warp touches; in requests of a half-warp for words of 8 bytes, of a quarter
//   for
//                       16. `lines`: loads that use the L1 move whole lines, all else the sectors that are touched.
#pragma once

#include <array>
#include <cstdint>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

// Bytes within an aligned chunk of 128. Sectors are its four quarters of 32 bytes, in every cache.
using SectorMask = std::uint8_t;
constexpr unsigned chunk_bytes = 128, sector_bytes = 32;
constexpr SectorMask all_sectors = 15;

struct Transaction {
  std::uint64_t chunk = 0;       // address, a multiple of 128
  std::uint32_t words = 0;       // touched words of 4 bytes
  SectorMask sectors = 0;        // to be moved
  std::uint8_t operations = 0;   // atomic: of threads
  std::uint8_t at_one_word = 0;  // atomic: most of these at one word
};

struct Transactions {
  std::array<Transaction, 32> list;
  unsigned count = 0;
  void add(const Transaction& transaction) { list[count++] = transaction; }
  const Transaction* begin() const { return list.data(); }
  const Transaction* end() const { return list.data() + count; }
};

class Coalescer {
 public:
  explicit Coalescer(const MachineDescription& machine) : rule_(machine.coalescing), line_(machine.l1.line) {}
  // In the order of their first lanes. `whole_lines`: a load that uses the L1. Overwrites `result`.
  void coalesce(const WarpAccess& access, bool whole_lines, Transactions& result) const;

 private:
  CoalescingRule rule_;
  unsigned line_;
};

// The sectors of which a sector of a cache with these bytes consists, for each that is named.
constexpr SectorMask widened(SectorMask sectors, unsigned bytes) {
  if (bytes == 32) return sectors;
  if (bytes == 128) return sectors != 0 ? all_sectors : 0;
  return static_cast<SectorMask>(((sectors & 3) != 0 ? 3 : 0) | ((sectors & 12) != 0 ? 12 : 0));
}
// The sectors that these words touch, and those of which they are the whole.
SectorMask touched_sectors(std::uint32_t words);
SectorMask whole_sectors(std::uint32_t words);

}  // namespace heddle::device::sim
