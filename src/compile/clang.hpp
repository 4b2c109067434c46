// Finding clang 19 and making its command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/options.hpp"

namespace heddle::compile {

struct Clang {
  std::filesystem::path path;
  std::string identity;  // path, size and time of the program: changes when clang is upgraded
};

// $HEDDLE_CLANG, clang-19 on PATH, the usual places, then a plain `clang` of version 19 or later. Throws not_found with
// the Debian package to install; invalid_argument when $HEDDLE_CLANG names no program.
Clang find_clang();

// One that makes host code as well: the same, but not the clang of an archive of script/bundle, which makes PTX alone.
// Throws as find_clang.
Clang find_host_clang();

// What to do where there is no clang, or something else is taken for it.
inline constexpr const char* clang_advice =
    "Install the Debian package clang-19 (apt-get install clang-19), or set HEDDLE_CLANG to the program.";

// Throws invalid_argument for an architecture, level or define that is not valid.
void check_options(const CompileOptions& options);

// The options' defines as a header. They are not given as -D: those would reach the device headers, where a program's N
// or T may be anything.
std::string definitions(const CompileOptions& options);

// The options' `extra`: those that include a file before the source, which comes after Heddle's headers as with nvcc,
// and the others.
struct ExtraOptions {
  std::vector<std::string> forced_includes, others;
};
ExtraOptions split_extra(const CompileOptions& options);

// Whether device code may name functions and variables of other files (-fgpu-rdc).
bool is_relocatable(const CompileOptions& options);

// What decides how the device headers are understood: clang, target, language, floating point, options of the user.
std::vector<std::string> language_arguments(const Clang& clang, const std::filesystem::path& headers,
                                            const CompileOptions& options);

// The folders of -I, -isystem and the like, in order.
std::vector<std::string> named_folders(const CompileOptions& options);

// The user's include paths, each as "-I" and the folder. Those that hold an NVIDIA SDK come after Heddle's own headers,
// so that these are found; all others before, so that a program's own file may have any name. Where one of the folders
// has libcu++, it is used as a whole, with Heddle's adaptions before it; else `own` has Heddle's part of it, for the
// place after Heddle's headers. `headers` is the folder of those.
struct IncludePaths {
  std::vector<std::string> before, own, after;
};
IncludePaths include_arguments(const CompileOptions& options, const std::filesystem::path& headers);

}  // namespace heddle::compile
