// Names that users give, for terminals: without line ends and without codes that a terminal would obey.
#pragma once

#include <string>
#include <string_view>

namespace heddle::base {

// Control characters as "\n" or "\x1b", but for those that are allowed.
std::string printable(std::string_view text, std::string_view allowed = {});

}  // namespace heddle::base
