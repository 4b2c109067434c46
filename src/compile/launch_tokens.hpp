// Launches whose signs are apart, as some editors leave them: k << <1, 32 >> > (x).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with `<<<` and `>>>` of launches in one piece, as clang wants them. std::nullopt if nothing changes.
// Lines, and columns of all else, stay as they are.
std::optional<std::string> with_joined_launches(std::string_view source);

}  // namespace heddle::compile
