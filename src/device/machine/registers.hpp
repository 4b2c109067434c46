// Registers of one thread in one activation of a function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/semantics/evaluate.hpp"

namespace heddle::device::machine {

// A view of words that others own. Bits above a register's width are zero.
class Registers {
 public:
  Registers() = default;
  // Register i is the word low[i * stride]; high[i * stride] has its upper half, which only 128-bit registers use.
  // `high` is null where a function has none of these.
  Registers(std::uint64_t* low, std::uint64_t* high, std::uint32_t stride, std::uint32_t count)
      : low_(low), high_(high), stride_(stride), count_(count) {}

  std::uint32_t size() const { return count_; }
  std::uint64_t low(std::size_t i) const { return low_[i * stride_]; }
  ptx::semantics::Value get(std::size_t i) const { return {low_[i * stride_], high_ ? high_[i * stride_] : 0}; }
  void set(std::size_t i, const ptx::semantics::Value& value) {
    low_[i * stride_] = value.lo;
    if (high_) high_[i * stride_] = value.hi;
  }

 private:
  std::uint64_t* low_ = nullptr;
  std::uint64_t* high_ = nullptr;
  std::uint32_t stride_ = 1, count_ = 0;
};

}  // namespace heddle::device::machine
