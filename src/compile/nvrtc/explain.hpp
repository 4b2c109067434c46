// What NVRTC says, in words that name the reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/nvrtc/run.hpp"

namespace heddle::compile::nvrtc {

// Sentences about the log's errors that have to do with what NVRTC is: it has no C++ library, compiles no host code,
// and needs the SDK's headers from elsewhere (`headers`, the folders in use). Each begins with a line end.
std::string explain(std::string_view log, const std::vector<std::string>& headers);

// A sentence where the target ("70", "90a") is none of those that NVRTC knows; empty where it is one or that is
// unknown.
std::string explain_target(const Description& nvrtc, const std::string& target);

}  // namespace heddle::compile::nvrtc
