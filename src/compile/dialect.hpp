// What nvcc takes and clang does not, written as clang wants it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/options.hpp"
#include "compile/unit.hpp"

namespace heddle::compile {

// The source with these as clang wants them: launches whose signs are apart (launch_tokens.hpp) and lists in braces
// among their arguments (launch_arguments.hpp), names of registers in asm (asm_registers.hpp), attributes behind
// keywords (attribute_order.hpp), deduction guides without an execution space (deduction_guides.hpp), member
// templates without the keyword (dependent_templates.hpp), macros that stand for a #pragma (pragma_macros.hpp), and
// macros that touch a literal (literal_suffixes.hpp). std::nullopt if nothing changes. Lines stay as they are.
std::optional<std::string> in_clangs_dialect(std::string_view source);

// Looks through the unit and the files of the program that it includes, and returns the options with which clang reads
// copies in `folder` of those that in_clangs_dialect() changes, under their own names. Empty if clang can read all
// files as they are. Throws as visit_program_files().
std::vector<std::string> dialect_overlay(const Unit& unit, const CompileOptions& options,
                                         const std::filesystem::path& folder);

}  // namespace heddle::compile
