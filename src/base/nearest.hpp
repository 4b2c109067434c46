// What somebody who mistyped a name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle::base {

// Letters to insert, delete, change or swap with their neighbour to get from one to the other.
std::size_t edit_distance(std::string_view from, std::string_view to);
// The candidate that is nearest to `word`; empty if none is near enough to be meant.
std::string nearest(std::string_view word, std::span<const std::string> candidates);
// For messages: "; did you mean 'launch'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
// The same in front of the list of all: "; did you mean 'launch'? There are", or "; there are".
std::string before_list(std::string_view word, std::span<const std::string> candidates,
                        std::string_view have = "there are");

}  // namespace heddle::base
