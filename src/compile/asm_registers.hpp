// Names of registers in asm statements: asm("mov.u32 %0, %laneid;" : "=r"(lane)).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with a second % before names of registers in asm statements that have operands: for nvcc a % that no
// number follows stands for itself, clang wants two. std::nullopt if nothing changes. A single letter with a number
// behind it (%c0) stays as it is: it is an operand in the way of the host's assembler.
std::optional<std::string> with_doubled_percents(std::string_view source);

}  // namespace heddle::compile
