// The name of a kernel in traces.
#pragma once

#include <string>

namespace heddle::trace {

// "blur<float>" for "_Z4blurIfEvPT_": as the source has it, without return type and parameters. Names that are not
// mangled stay as they are.
std::string short_name(const std::string& kernel);

}  // namespace heddle::trace
