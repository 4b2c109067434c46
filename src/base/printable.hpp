// Names that users give, for terminals: without line ends and without codes that a terminal would obey.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::base {

// Control characters as "\n" or "\x1b", but for those that are allowed.
std::string printable(std::string_view text, std::string_view allowed = {});

bool has_line_end(const std::filesystem::path& name);
// Throws invalid_argument where the name of a source has one: PTX, lists of dependencies and the lines of messages have
// names in them, which end there.
void refuse_line_end_of_source(const std::filesystem::path& source);

}  // namespace heddle::base
