// The device headers in precompiled form, which makes compiling a kernel several times faster.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/clang.hpp"
#include "compile/lookups.hpp"

namespace heddle::compile {

struct Precompiled {
  std::filesystem::path file;
  Lookups lookups;  // what it was made from; valid when it was returned
};

// The precompiled prelude for these arguments (language_arguments, without the user's include paths), made now if
// `folder` has none or if what it was made from has changed. Nothing where it cannot be made or written: then the
// headers are read as text. Never throws.
std::optional<Precompiled> precompiled_prelude(const Clang& clang, const std::filesystem::path& folder,
                                               const std::vector<std::string>& arguments,
                                               const std::vector<std::string>& environment);

// True when clang refused a precompiled header (it is damaged, or has just been replaced) rather than the program.
bool refused_precompiled(const std::string& diagnostics);

}  // namespace heddle::compile
