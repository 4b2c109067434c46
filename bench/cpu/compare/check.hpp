// Whether two contenders computed the same.
#pragma once

#include <string>

#include "compare/contender.hpp"

namespace heddle::bench {

// Compares what the last run of each left in the output and changed arrays. Empty when they agree, else a sentence with
// the first value that differs too much.
std::string difference(const Case& test, Contender& one, Contender& other);

}  // namespace heddle::bench
