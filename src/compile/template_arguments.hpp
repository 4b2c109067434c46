// Where a list of template arguments ends.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "compile/source_tokens.hpp"

namespace heddle::compile {

// The token behind the list that begins with "<" at `begin`; std::nullopt if the list does not end. A ">" within
// brackets, and one of "->" or ">=", does not end it.
std::optional<std::size_t> behind_template_arguments(std::span<const SourceToken> tokens, std::size_t begin);

}  // namespace heddle::compile
