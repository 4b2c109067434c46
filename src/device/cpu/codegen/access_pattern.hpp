// How the memory accesses in a kernel's innermost loops spread over the lanes of a warp: what decides how many lanes
// pay.
#pragma once

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

struct AccessPattern {
  // Accesses of the deepest loops that touch memory: to a place of its own for each lane (a gather or scatter), and to
  // one place or neighbouring ones.
  unsigned scattered = 0, together = 0;
  // Lanes may leave such a loop with scattered accesses in different turns.
  bool lanes_diverge = false;

  // Gathers are a part of the work that matters: one costs about as much as ten accesses of the other kind.
  bool gathers() const { return scattered > 0 && scattered * 8 >= scattered + together; }
};

AccessPattern access_pattern(const ptx::Module& module, const ptx::Function& function,
                             const ptx::analysis::ControlFlowGraph& cfg, const ptx::analysis::Webs& webs,
                             const ptx::analysis::Uniformity& uniformity);

}  // namespace heddle::device::cpu
