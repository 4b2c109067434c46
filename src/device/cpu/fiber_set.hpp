// A set of the fibers of one block, as bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heddle::device::cpu {

class FiberSet {
 public:
  static constexpr unsigned capacity = 1024;  // threads of a block

  void set(unsigned i) { words_[i / 64] |= bit(i); }
  void clear(unsigned i) { words_[i / 64] &= ~bit(i); }
  bool has(unsigned i) const { return (words_[i / 64] & bit(i)) != 0; }
  unsigned count(unsigned words) const {
    unsigned members = 0;
    for (unsigned w = 0; w < words; ++w) members += static_cast<unsigned>(std::popcount(words_[w]));
    return members;
  }
  bool empty(unsigned words) const {
    for (unsigned w = 0; w < words; ++w)
      if (words_[w] != 0) return false;
    return true;
  }
  void reset(unsigned words) {
    for (unsigned w = 0; w < words; ++w) words_[w] = 0;
  }
  // Sets the first `count` members.
  void fill(unsigned count) {
    for (unsigned w = 0; w * 64 < count; ++w) words_[w] = count - w * 64 >= 64 ? ~0ull : (1ull << (count - w * 64)) - 1;
  }
  // Moves the members of `other` here.
  void take(FiberSet& other, unsigned words) {
    for (unsigned w = 0; w < words; ++w) {
      words_[w] |= other.words_[w];
      other.words_[w] = 0;
    }
  }
  // The first member; -1 when empty.
  int first(unsigned words) const {
    for (unsigned w = 0; w < words; ++w)
      if (words_[w] != 0) return static_cast<int>(w * 64 + static_cast<unsigned>(std::countr_zero(words_[w])));
    return -1;
  }
  // The first member after `i`, wrapping around; -1 when empty. `i` itself comes last.
  int next_after(unsigned i, unsigned words) const {
    const unsigned from = i / 64;
    const std::uint64_t above = i % 64 == 63 ? 0 : words_[from] & (~0ull << (i % 64 + 1));
    if (above != 0) return static_cast<int>(from * 64 + static_cast<unsigned>(std::countr_zero(above)));
    if (words == 1) return words_[0] == 0 ? -1 : std::countr_zero(words_[0]);
    for (unsigned step = 1; step <= words; ++step) {
      const unsigned w = (from + step) % words;
      if (words_[w] != 0) return static_cast<int>(w * 64 + static_cast<unsigned>(std::countr_zero(words_[w])));
    }
    return -1;
  }
  template <class F>
  void for_each(unsigned words, F&& f) const {
    for (unsigned w = 0; w < words; ++w)
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        f(w * 64 + static_cast<unsigned>(std::countr_zero(rest)));
  }

 private:
  static std::uint64_t bit(unsigned i) { return 1ull << (i % 64); }
  std::array<std::uint64_t, capacity / 64> words_{};
};

}  // namespace heddle::device::cpu
