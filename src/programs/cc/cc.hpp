// `heddle cc`: builds CUDA programs.
#pragma once

#include <string>
#include <vector>

#include "programs/cc/options.hpp"

namespace heddle::programs {

// Does what the options say; diagnostics of the compilers go to standard error, warnings too. Throws Error.
void build(const CcOptions& options);

// The whole command, words without "heddle cc". Throws Error.
void cc(const std::vector<std::string>& words);

}  // namespace heddle::programs
