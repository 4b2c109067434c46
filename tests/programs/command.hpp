// Running commands as a user does.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "support/places.hpp"

namespace heddle::tests {

struct Ran {
  int code = -1;       // 128 + the signal's number where one ended it
  std::string output;  // stdout and errors
};

inline Ran run_command(const std::string& command) {
  Ran ran;
  FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, got);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

inline std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

}  // namespace heddle::tests
