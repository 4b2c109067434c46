// Whether a kernel can be sampled: whether some of its blocks stand for all, and whether the others may run without the
// timing model.
#pragma once

#include <string>

#include "ptx/ir.hpp"

namespace heddle::device::sim {

// Empty, or a sentence that says why launches of the kernel are not sampled: its blocks wait for one another or use
// what others leave, its results depend on the order of blocks or on time, or it calls what is not known. Conservative.
std::string why_not_sampled(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace heddle::device::sim
