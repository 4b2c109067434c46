// CUDA C++ that is in memory, to PTX: what compile_to_ptx() does with a file.
#pragma once

#include <string>
#include <string_view>

#include "heddle/compile.hpp"

namespace heddle::runtime {

// `name` is the text's name in messages. Throws as compile_to_ptx() does.
std::string compile_text(std::string_view source, std::string_view name, const CompileOptions& options);

// Throws invalid_argument for options that no compiler takes: a malformed target or macro definition.
void check_compile_options(const CompileOptions& options);

}  // namespace heddle::runtime
