// What a compilation depends on besides files: the environment that clang sees, and options that reach further.
#pragma once

#include <string>
#include <vector>

namespace heddle::compile {

// The environment that clang runs with, as "NAME=VALUE" in the order of names: the few variables that clang, its loader
// and the usual wrappers around it read, and nothing else. What is handed on is all in the cache's key, except TMPDIR,
// which decides nothing.
std::vector<std::string> compiler_environment();

// The folders that the user adds to the search path there: CPATH and its relatives.
std::vector<std::string> environment_include_paths();

// Whether everything that these options for clang make it read is in its list of headers, so that the result can be
// cached. True only for families of options that are known to be so.
bool only_reads_headers(const std::vector<std::string>& options);

}  // namespace heddle::compile
