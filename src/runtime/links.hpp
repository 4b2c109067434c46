// How fast memory of one device gets to another.
#pragma once

#include <string_view>

#include "runtime/core.hpp"

namespace heddle::runtime {

// See Runtime::measured_link.
double measure_link(Core& core, std::string_view from, std::string_view to);

}  // namespace heddle::runtime
