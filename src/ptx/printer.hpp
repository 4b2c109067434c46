// A Module as PTX text. Parsing the text gives an equal module (ir.hpp, equal()).
#pragma once

#include <string>

#include "ptx/ir.hpp"

namespace heddle::ptx {

std::string print(const Module& module);

// One instruction as it would stand in `function`, without the final newline: "@%p1 add.s32 %r1, %r2, 3;". For
// messages.
std::string print(const Module& module, const Function& function, const Instruction& inst);

}  // namespace heddle::ptx
