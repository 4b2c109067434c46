// Many small pictures on one page, with their names.
#pragma once

#include <vector>

#include "pipeline.hpp"

namespace images {

Picture contact_sheet(const std::vector<NamedPicture>& pictures);

}  // namespace images
