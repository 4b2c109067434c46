// Arguments of launches and calls, from C.
#pragma once

#include <cstddef>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/launch.hpp"

namespace heddle::c_api {

// Throws invalid_argument; `function` begins the sentence.
std::vector<Argument> argument_list(const heddle_argument* arguments, std::size_t count, const char* function);

}  // namespace heddle::c_api
