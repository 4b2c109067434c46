// Random choices that are the same on every machine for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace heddle::test::random_kernel {

class Random {
 public:
  // Neighbouring seeds begin far apart in the one cycle that all share.
  explicit Random(std::uint64_t seed) : state_(seed) {
    state_ = bits();
    state_ = bits() ^ (seed << 32);
  }

  // splitmix64
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // 0 to bound - 1
  unsigned below(std::size_t bound) { return static_cast<unsigned>(bits() % bound); }
  // Both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class Container>
  const auto& pick(const Container& container) {
    return *(std::begin(container) + below(std::size(container)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace heddle::test::random_kernel
