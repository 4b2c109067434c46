// Which bytes a range of blocks touches of what a parameter points to, as a function of the range: x[i] and
// x[i - width] of i = ctaid.x * ntid.x + tid.x, not the whole array. With it, devices that run parts of one launch move
// no more than their parts need.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/dim3.hpp"
#include "ptx/analysis/access/launch_sum.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Bytes [begin, end), relative to the address that the parameter holds; begin may be negative.
struct ByteReach {
  std::int64_t begin = 0, end = 0;
};

// Of one parameter of a kernel.
struct BlockReach {
  // All accesses to its memory are among `accesses`.
  bool known = false;
  struct Access {
    LaunchSum offset;  // bytes from the address that the parameter holds
    std::uint32_t bytes = 0;
    friend bool operator==(const Access&, const Access&) = default;
  };
  std::vector<Access> accesses;  // each once
  // What the kernel computes in 32 bits on the way to these addresses, each once: that must not overflow.
  std::vector<LaunchSum> in_32_bits;

  // Nothing where the answer is not known for such a launch: where a number on which it depends is not given or is
  // negative, and where 32 bits overflow. A thread's guards are not looked at: the answer may go beyond the end of the
  // array, where the kernel does not. `parameters`: the numbers that are passed, by parameter.
  std::optional<ByteReach> of(const Dim3& grid, const Dim3& block, const BlockRange& range,
                              std::span<const std::optional<std::int64_t>> parameters = {}) const;
};

// For each parameter of a kernel of the module. None is known in kernels that call functions.
std::vector<BlockReach> find_block_reach(const Module& module, std::uint32_t function);

}  // namespace heddle::ptx::analysis
