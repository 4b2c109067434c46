// What callers say of the arrays that they give to kernels, against what the PTX shows.
#pragma once

#include <cstddef>
#include <string_view>

#include "heddle/kernel.hpp"
#include "modules/signature.hpp"

namespace heddle::runtime {

class KernelState;

// What a launch does through the parameter, if the caller is right. Throws invalid_argument where the PTX shows that he
// is not, with the instruction. After KernelState::info(). `what` begins the sentence: "argument 2 of kernel k".
Access annotated(const KernelState& kernel, std::size_t parameter, Direction direction, std::string_view what);

// The kernel's info with what a signature says. Throws invalid_argument where the two do not fit.
KernelInfo annotated(const KernelState& kernel, const KernelInfo& info, const modules::Signature& signature);

}  // namespace heddle::runtime
