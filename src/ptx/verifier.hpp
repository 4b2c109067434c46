// Checks what the grammar cannot: operand kinds and types, symbols, tables and labels, calls, limits. A module that
// passes is safe to hand to the passes and devices: every index is in range and every operand suits its instruction.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/finding.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx {

// All that is wrong, in order of appearance; errors, and warnings where a newer PTX version or target is needed than
// the module names. Never throws for what stands in the module, however broken; concurrent calls are safe.
std::vector<Finding> find_problems(const Module& module);

// Throws heddle::Error (parse_error) for the first error of find_problems(), as "file:line:column: message".
void verify(const Module& module, std::string_view file_name = "<ptx>");

}  // namespace heddle::ptx
