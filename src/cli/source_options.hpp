// Options shared by the commands that take a .cu or .ptx file.
#pragma once

#include <CLI/CLI.hpp>

#include "heddle/compile.hpp"

namespace heddle::cli {

// -D, -I, --arch, --fast-math, -O, and -X for other options of clang. They apply to .cu files.
void add_compile_options(CLI::App& command, CompileOptions& options);

}  // namespace heddle::cli
