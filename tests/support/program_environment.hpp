// For tests that run programs which load libraries of this build.
#pragma once

#include <string>

namespace heddle::tests {

// What to write before the command of such a program, with a space behind it: where the build is sanitized and the
// program is not, the sanitizer's runtime has to be loaded before everything else. Empty in other builds.
inline std::string program_environment() {
#ifdef HEDDLE_TEST_PROGRAM_ENVIRONMENT
  return HEDDLE_TEST_PROGRAM_ENVIRONMENT " ";
#else
  return "";
#endif
}

}  // namespace heddle::tests
