// How deep tables of a TOML text lie in each other, before it is parsed.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::base {

constexpr std::size_t most_key_parts = 256;

// The line, from 1 up, of the first key with more than most_key_parts parts, those of the inline tables around it
// included. Returns 0 when no key has so many. Each part is a table in a table, and toml++ recurses into them without a
// limit. For a text that is no TOML the result has no meaning.
std::size_t line_of_deep_key(std::string_view text);

}  // namespace heddle::base
