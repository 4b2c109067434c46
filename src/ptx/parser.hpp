// PTX text to a Module (PTX ISA 6.0 to 9.0; older dialects as far as ptxas 13 still takes them).
#pragma once

#include <string_view>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Parses `text`; `file_name` is for messages only. Throws heddle::Error(parse_error) for the first error found, as
// "file:line:column: found 'token', expected ...". Memory and recursion are bounded by the length of the text. Needs no
// state of its own: any number of threads may parse at once.
Module parse(std::string_view text, std::string_view file_name);

}  // namespace heddle::ptx
