// Many small pictures on one page, with their names.
#pragma once

#include <string>
#include <vector>

#include "pipeline.hpp"

namespace images {

// Under a title and a line below it. Pictures as large as the first one show a part of themselves enlarged, too: what a
// filter does to single pixels cannot be seen when all of it is shown smaller than it is.
Picture contact_sheet(const std::string& title, const std::string& line, const std::vector<NamedPicture>& pictures);

}  // namespace images
