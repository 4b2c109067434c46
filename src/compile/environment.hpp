// Inputs of a compilation other than files: clang's environment, and options that make it read more than headers.
#pragma once

#include <string>
#include <vector>

namespace heddle::compile {

// The environment that clang runs with, as "NAME=VALUE" in the order of names: the few variables that clang, its loader
// and the usual wrappers around it read, and nothing else. All of it is in the cache's key, except TMPDIR, which does
// not affect results.
std::vector<std::string> compiler_environment();

// The folders that the user adds to the search path there: CPATH and its relatives.
std::vector<std::string> environment_include_paths();

// Whether everything that these options for clang make it read is in its list of headers, so that the result can be
// cached. True only for families of options that are known to be so.
bool only_reads_headers(const std::vector<std::string>& options);

}  // namespace heddle::compile
