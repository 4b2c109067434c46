// The files that a command line of `heddle cc` reads and writes.
#pragma once

#include <string>

#include "programs/cc/options.hpp"

namespace heddle::programs {

// Where the result of one source goes: -o, or the source's name with another extension in the working folder.
std::string output_of(const CcOptions& options, const Input& input, const char* extension);

// Throws io_error if an input is there and is no regular file, invalid_argument if a file that would be written is also
// read: a source, an object file, an options file.
void check_files(const CcOptions& options);

}  // namespace heddle::programs
