// Loops that share a head, one inside the other.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx {

// A copy of `function` in which a loop whose head several back edges lead to is made two loops, one inside the other,
// where a branch that chooses between those edges is over, at its immediate post-dominator, before the outer one turns.
// Compilers give nested loops one head when nothing stands between the heads: `for (...) do { ... } while (lanes
// differ)`. Lanes then meet behind the inner loop, as the branch says, and not only at the common head. (Compare the
// separation of nested loops in LLVM's LoopSimplify.) `module`: for which called functions never return. Pure.
Function nest_loops(const Function& function, const Module& module);

}  // namespace heddle::ptx
