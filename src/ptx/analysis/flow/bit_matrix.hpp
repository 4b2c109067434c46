// Rows of bits in one allocation: sets of registers for each block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::ptx::analysis {

class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(std::size_t rows, std::size_t columns)
      : columns_(columns), words_((columns + 63) / 64), bits_(rows * words_, 0) {}

  std::size_t columns() const { return columns_; }
  std::span<std::uint64_t> row(std::size_t r) { return std::span(bits_).subspan(r * words_, words_); }
  std::span<const std::uint64_t> row(std::size_t r) const { return std::span(bits_).subspan(r * words_, words_); }
  bool test(std::size_t r, std::size_t c) const { return (bits_[r * words_ + c / 64] >> (c % 64)) & 1; }
  void set(std::size_t r, std::size_t c) { bits_[r * words_ + c / 64] |= std::uint64_t{1} << (c % 64); }
  void clear(std::size_t r, std::size_t c) { bits_[r * words_ + c / 64] &= ~(std::uint64_t{1} << (c % 64)); }

  // Calls f(column) for each bit of row r, ascending.
  template <class F>
  void for_each(std::size_t r, F&& f) const {
    const auto words = row(r);
    for (std::size_t w = 0; w < words.size(); ++w)
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1)
        f(static_cast<std::uint32_t>(w * 64 + std::countr_zero(rest)));
  }

 private:
  std::size_t columns_ = 0, words_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace heddle::ptx::analysis
