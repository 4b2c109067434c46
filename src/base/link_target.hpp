// Outputs that are symbolic links.
#pragma once

#include <filesystem>

namespace heddle::base {

// The file that `path` names at last, through links of files, which need not exist: where an output goes that leaves
// the link a link. Throws io_error for links in a circle and those that cannot be read.
std::filesystem::path link_target(std::filesystem::path path);

}  // namespace heddle::base
