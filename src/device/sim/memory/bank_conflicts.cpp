#include "device/sim/memory/bank_conflicts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::device::sim {
namespace {

// The words that the threads of a group want: at most 32 threads of 4 words.
struct Words {
  std::array<std::uint64_t, 128> word;
  unsigned count = 0;
};

void collect(const SharedMemory& shared, const WarpAccess& access, std::uint32_t mask, Words& words) {
  words.count = 0;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(mask))];
    const std::uint64_t first = address / shared.bank_bytes, last = (address + access.bytes - 1) / shared.bank_bytes;
    for (std::uint64_t word = first; word <= last; ++word) words.word[words.count++] = word;
  }
}

// Distinct words of the bank with most of them.
unsigned any_words(unsigned banks, const Words& words) {
  std::array<std::uint64_t, 64> first;  // word of each bank that is used
  std::array<std::uint8_t, 64> distinct;
  std::array<std::uint64_t, 128> others;  // further words of banks
  std::uint64_t used = 0;
  unsigned other = 0, most = 1;
  for (unsigned i = 0; i < words.count; ++i) {
    const std::uint64_t word = words.word[i], bank = word & (banks - 1);
    if ((used >> bank & 1) == 0) {
      used |= std::uint64_t{1} << bank;
      first[bank] = word;
      distinct[bank] = 1;
    } else if (first[bank] != word &&
               std::find(others.begin(), others.begin() + other, word) == others.begin() + other) {
      others[other++] = word;
      most = std::max<unsigned>(most, ++distinct[bank]);
    }
  }
  return most;
}

// Each thread wants one word, and none of them meet others at a bank: the usual case.
bool no_conflict(const SharedMemory& shared, const WarpAccess& access, std::uint32_t mask) {
  std::array<std::uint64_t, 64> first;
  std::uint64_t used = 0;
  const unsigned shift = static_cast<unsigned>(std::countr_zero(shared.bank_bytes));
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t word = access.address[static_cast<unsigned>(std::countr_zero(mask))] >> shift;
    const std::uint64_t bank = word & (shared.banks - 1);
    if ((used >> bank & 1) != 0 && first[bank] != word) return false;
    used |= std::uint64_t{1} << bank;
    first[bank] = word;
  }
  return true;
}

// Each pass gives the first word that is left to all that want it, and of every other bank one word to one thread.
unsigned one_word(unsigned banks, Words& words) {
  unsigned passes = 0;
  for (; words.count != 0; ++passes) {
    const std::uint64_t broadcast = words.word[0];
    std::uint64_t busy = std::uint64_t{1} << (broadcast & (banks - 1));
    unsigned left = 0;
    for (unsigned i = 0; i < words.count; ++i) {
      const std::uint64_t word = words.word[i], bank = std::uint64_t{1} << (word & (banks - 1));
      if (word == broadcast) continue;
      if ((busy & bank) != 0) {
        words.word[left++] = word;
      }
      busy |= bank;
    }
    words.count = left;
  }
  return passes;
}

unsigned at_one_bank(unsigned banks, const Words& words) {
  std::array<std::uint8_t, 64> count{};
  unsigned most = 0;
  for (unsigned i = 0; i < words.count; ++i) most = std::max<unsigned>(most, ++count[words.word[i] & (banks - 1)]);
  return most;
}

}  // namespace

Passes shared_passes(const SharedMemory& shared, const WarpAccess& access) {
  unsigned lanes = shared.lanes;
  if (shared.broadcast == Broadcast::any_words) {
    while (lanes > 1 && lanes * access.bytes > shared.banks * shared.bank_bytes) lanes /= 2;
  }
  Passes passes;
  Words words;
  for (unsigned first = 0; first < 32; first += lanes) {
    const std::uint32_t group = lanes == 32 ? ~0u : ((1u << lanes) - 1) << first;
    const std::uint32_t mask = access.mask & group;
    if (mask == 0) continue;
    ++passes.least;
    if (access.operation < MemoryOperation::atomic && access.bytes <= shared.bank_bytes &&
        shared.broadcast == Broadcast::any_words && no_conflict(shared, access, mask)) {
      ++passes.needed;
      continue;
    }
    collect(shared, access, mask, words);
    if (access.operation >= MemoryOperation::atomic) {
      passes.needed += at_one_bank(shared.banks, words) * shared.atomic_passes;
    } else {
      passes.needed +=
          shared.broadcast == Broadcast::any_words ? any_words(shared.banks, words) : one_word(shared.banks, words);
    }
  }
  return passes;
}

}  // namespace heddle::device::sim
