// What a source includes that is no regular file: pipes and devices, which have no end.
#pragma once

#include "compile/options.hpp"
#include "compile/unit.hpp"

namespace heddle::compile {

// Throws invalid_argument if the source, or a file of the program that it includes, names a pipe, a socket or a device
// where a compiler would look for a header: it would wait for ever, or read for ever. /dev/null is empty, and none of
// these. System headers are not looked at.
void refuse_special_includes(const Unit& unit, const CompileOptions& options);

}  // namespace heddle::compile
