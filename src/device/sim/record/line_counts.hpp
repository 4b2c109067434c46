// What each instruction of a kernel cost: how often it issued, and where the time of warps went before it did.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "device/sim/block_context.hpp"

namespace heddle::device::sim {

// Why a warp did not issue. Each cycle of a warp on an SM belongs to the instruction that the warp issues next.
enum class WarpUse : std::uint8_t {
  issue,     // the cycle in which the instruction before it issued
  control,   // a branch, or the beginning of the block
  barrier,   // other threads
  result,    // a result of an arithmetic pipe
  memory,    // a memory access
  pipeline,  // it could issue, but its pipe was busy or another warp was chosen
};
constexpr unsigned warp_uses = 6;
const char* name(WarpUse use);

struct LineCount {
  std::uint64_t issues = 0, lanes = 0;
  std::array<std::uint64_t, warp_uses> cycles{};  // of warps
  LineCount& operator+=(const LineCount& other);
};

// Of one launch: by index of the function in its module, then by instruction.
using FunctionCounts = std::map<std::uint32_t, std::vector<LineCount>>;
void add(FunctionCounts& to, const FunctionCounts& from);

}  // namespace heddle::device::sim
