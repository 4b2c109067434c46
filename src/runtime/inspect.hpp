// What the analyses found of a kernel, in public terms.
#pragma once

#include "heddle/kernel.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::runtime {

KernelInfo public_info(const ptx::analysis::InspectedKernel& kernel);

}  // namespace heddle::runtime
