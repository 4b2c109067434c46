// Puts an ELF object made by the code generator into executable memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/codegen/codegen.hpp"
#include "device/cpu/kernel_code.hpp"

namespace heddle::device::cpu {

// Throws internal when the object cannot be loaded: it needs a symbol from outside, or is no object at all.
std::shared_ptr<const KernelCode> load_object(CompiledKernel compiled);

}  // namespace heddle::device::cpu
