// What somebody who mistyped a name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::base {

// Letters to insert, delete, change or swap with their neighbour to get from one to the other.
std::size_t edit_distance(std::string_view from, std::string_view to);
// The candidates that may be meant by `word`, in their order; empty if none is near enough. These are the ones with the
// fewest wrong letters, at most a third. If no candidate is that near: those that share all parts with the word, as
// CACHE and CACHE_DIR do, and of these the ones with the fewest further parts.
std::vector<std::string> meant_by(std::string_view word, std::span<const std::string> candidates);
// One of them: the first of those with equally few wrong letters, or the only one that shares parts. Else empty.
std::string nearest(std::string_view word, std::span<const std::string> candidates);
// For messages: "; did you mean 'launch'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
// The same in front of the list of all: "; did you mean 'launch'? There are", or "; there are".
std::string before_list(std::string_view word, std::span<const std::string> candidates,
                        std::string_view have = "there are");

}  // namespace heddle::base
