// Macros that stand for a #pragma: #define UNROLL #pragma unroll.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with _Pragma("unroll") in macros without parameters whose text is a #pragma: nvcc reads it once it is
// expanded, clang wants the operator. std::nullopt if nothing changes. Lines stay as they are.
std::optional<std::string> with_pragma_operators(std::string_view source);

}  // namespace heddle::compile
