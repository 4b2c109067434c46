// Macros that follow a literal without a blank: extern "C"__global__ void k();
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with a blank between a string literal and a word with two underscores that touches it: clang takes it for
// a suffix, nvcc for the macro that it is. std::nullopt if nothing changes. Suffixes that the source defines itself
// stay as they are, and so do lines.
std::optional<std::string> with_blanks_behind_literals(std::string_view source);

}  // namespace heddle::compile
