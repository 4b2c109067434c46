// Protection of a user's files: a result must not replace what it is made from.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace heddle::base {

// Throws invalid_argument if `output` is the same file as one of `inputs`, by whatever name or link, or if it
// exists and is a source or a header by its name or by that of the file that it is a link to. `option` is for the
// message, as "-o". Files that do not exist, devices and pipes are never the same: they lose nothing.
void refuse_overwrite(std::string_view option, const std::filesystem::path& output,
                      std::span<const std::filesystem::path> inputs);

}  // namespace heddle::base
