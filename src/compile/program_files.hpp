// The files of a program that a source consists of: itself, and what it includes.
#pragma once

#include <functional>
#include <string>

#include "compile/options.hpp"
#include "compile/unit.hpp"

namespace heddle::compile {

// Calls `visit` with the path and the text of the source and of each file of the program that it may include, directly
// or not; of a file with several names for each of them. System headers are not looked at.
//
// Throws invalid_argument if one names a pipe, a socket or a device where a compiler would look for a header: it would
// wait for ever, or read for ever. /dev/null is empty, and none of these.
using VisitFile = std::function<void(const std::string& path, std::string_view text)>;
void visit_program_files(const Unit& unit, const CompileOptions& options, const VisitFile& visit);

// Throws as visit_program_files().
inline void refuse_special_includes(const Unit& unit, const CompileOptions& options) {
  visit_program_files(unit, options, [](const std::string&, std::string_view) {});
}

}  // namespace heddle::compile
