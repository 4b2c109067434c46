// Runs the heddle program in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {

// What a test does to a process may be too much for a sanitizer's runtime in it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

struct Ran {
  int code = -1;       // 128 + the signal's number where one ended it
  std::string output;  // stdout and, unless they go elsewhere, errors
};

class HeddleCommand : public testing::Test {
 protected:
  // `before` stands in front of the program in the shell's line, as "ulimit -v 100000;" or "NAME=value".
  Ran heddle(const std::string& arguments, const std::string& errors = "&1", const std::string& before = "") const {
    const std::string command = "cd '" + folder_.path().string() + "' && " + before + " '" +
                                heddle_program(HEDDLE_PROGRAM).string() + "' " + arguments + " 2>" + errors;
    Ran ran;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return ran;
    char buffer[4096];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, got);
    const int status = ::pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
  }
  // With the caches and the daemon's socket in the folder, and for 100 seconds at most. `variables`: as "NAME=value".
  Ran here(const std::string& arguments, const std::string& variables = "") const {
    return heddle(
        arguments, "&1",
        "HEDDLE_CACHE_DIR='" + folder_.path().string() + "/cache' HEDDLE_DAEMON=daemon " + variables + " timeout 100");
  }
  // Files of the folder.
  void write(const std::string& name, std::string_view text) const {
    base::write_file_atomic(folder_.path() / name, text);
  }
  std::string read(const std::string& name) const { return base::read_file(folder_.path() / name); }

  TemporaryFolder folder_;
};

}  // namespace heddle::tests
