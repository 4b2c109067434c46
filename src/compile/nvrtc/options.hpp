// Compile options as NVRTC takes them.
#pragma once

#include <string>
#include <vector>

#include "compile/options.hpp"

namespace heddle::compile::nvrtc {

// All but the definitions, which go into a header of their own (clang.hpp). `headers` are the SDK's folders. Throws
// unsupported for what NVRTC has no option for.
std::vector<std::string> options_for(const CompileOptions& options, const std::vector<std::string>& headers);

// "80" for sm_80, "90a" for sm_90a.
std::string target_number(const CompileOptions& options);

// Whether the PTX is all that comes of these options of the user: not with those that write or read other files than
// headers (time figures, precompiled headers), so that a result from the cache would not do what they ask for.
bool only_make_ptx(const std::vector<std::string>& extra);

}  // namespace heddle::compile::nvrtc
