// The device headers in precompiled form, which makes compiling a kernel several times faster.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/clang.hpp"

namespace heddle::compile {

// The precompiled prelude for these arguments (those of clang_arguments without the user's include paths), made now if
// it is not in `folder` yet. Nothing where it cannot be made or written: then the headers are read as text. Never
// throws.
std::optional<std::filesystem::path> precompiled_prelude(const Clang& clang, const std::filesystem::path& folder,
                                                         const std::vector<std::string>& arguments);

// True when clang refused a precompiled header (a header of the system changed since, or the file is damaged) rather
// than the program.
bool refused_precompiled(const std::string& diagnostics);

}  // namespace heddle::compile
