// Registers of one thread in one activation of a function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/semantics/evaluate.hpp"

namespace heddle::device::machine {

// A view of words that others own. Bits above a register's width are zero. Each resident thread has one: it is kept
// small.
class Registers {
 public:
  Registers() = default;
  // Register i is the word low[i * stride]; high[i * stride], behind it, has its upper half, which only 128-bit
  // registers use. `high` is null where a function has none of these. `stride`: 1 or 32; less than 2^26 registers.
  Registers(std::uint64_t* low, std::uint64_t* high, std::uint32_t stride, std::uint32_t count)
      : low_(low), high_(high ? static_cast<std::uint32_t>(high - low) : 0), count_(count), stride_(stride & 63) {}

  std::uint32_t size() const { return count_; }
  std::uint64_t low(std::size_t i) const { return low_[i * stride_]; }
  ptx::semantics::Value get(std::size_t i) const {
    return {low_[i * stride_], high_ != 0 ? low_[high_ + i * stride_] : 0};
  }
  void set(std::size_t i, const ptx::semantics::Value& value) {
    low_[i * stride_] = value.lo;
    if (high_ != 0) low_[high_ + i * stride_] = value.hi;
  }

 private:
  std::uint64_t* low_ = nullptr;
  std::uint32_t high_ = 0;  // words from the lower halves to the upper ones; 0: none
  std::uint32_t count_ : 26 = 0, stride_ : 6 = 1;
};

}  // namespace heddle::device::machine
