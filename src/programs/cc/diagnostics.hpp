// What compilers say.
#pragma once

#include <string>
#include <string_view>

namespace heddle::programs {

// The two sides of a source are compiled one after the other and mostly say the same: `host`, and of `device` what is
// not in there.
std::string merged_diagnostics(const std::string& host, const std::string& device);

// A word as a shell would take it.
std::string quoted(const std::string& word);

}  // namespace heddle::programs
