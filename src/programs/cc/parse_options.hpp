// Parses the command line of `heddle cc`: that of nvcc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/cc/options.hpp"

namespace heddle::programs {

// `words` without the program's name and "cc". Throws Error: invalid_argument for what is unknown, unsupported for what
// Heddle does not do, each with the option's name; not_found for a response file that is not there.
CcOptions parse_cc_options(const std::vector<std::string>& words);

// Text as nvcc's response files have it: words between blanks, with quotes and backslashes as in a shell. The
// characters of `more_separators` separate words like blanks.
std::vector<std::string> split_words(std::string_view text, std::string_view more_separators = {});

// The explanation for --help.
std::string cc_help();

}  // namespace heddle::programs
