// Launches with lists in braces: k<<<grid, {16, 16}>>>(x).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with the type before each argument of a launch that begins with a brace, or with a macro of the source
// that stands for a list in braces: k<<<grid, dim3{16, 16}>>>(x). The signs of launches are in one piece. std::nullopt
// if nothing changes. Lines stay as they are.
std::optional<std::string> with_named_lists(std::string_view source);

}  // namespace heddle::compile
