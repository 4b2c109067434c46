// Which instructions of a loop decide when it ends.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Definitions of webs by instruction, and backward slices along them.
class Slicer {
 public:
  Slicer(const ControlFlowGraph& cfg, const Webs& webs);

  // Instructions that define the web, ascending.
  const std::vector<std::uint32_t>& definitions(std::uint32_t web) const { return definitions_[web]; }
  bool is_read(std::uint32_t web) const { return read_[web]; }

  struct Slice {
    std::vector<std::uint32_t> instructions;  // ascending
    bool carried = false;  // some value comes from an earlier turn of the loop other than through memory
  };
  // What the conditions depend on under which lanes leave the loop, as far as it is computed within the loop: through
  // registers, and through the branches that choose between definitions.
  Slice exit_slice(std::uint32_t loop) const;
  // What the value read at an operand depends on, anywhere in the function.
  std::vector<std::uint32_t> value_slice(std::uint32_t instruction, std::uint16_t operand) const;

 private:
  const ControlFlowGraph& cfg_;
  const Webs& webs_;
  std::vector<std::vector<std::uint32_t>> definitions_, joins_;  // instructions, blocks
  std::vector<bool> read_;
};

}  // namespace heddle::ptx::analysis
