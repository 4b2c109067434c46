// Where a list of template arguments ends.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "compile/source_tokens.hpp"

namespace heddle::compile {

// The token behind the list that begins with "<" at `begin`; std::nullopt where it has no end. Signs of comparisons
// count as the list's end, unless they are within brackets.
std::optional<std::size_t> behind_template_arguments(std::span<const SourceToken> tokens, std::size_t begin);

}  // namespace heddle::compile
