// Runs a program and collects what it prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::compile {

struct ProcessResult {
  int exit_status = 0;  // exit code, or 128 + signal number
  std::string out, err;
};

// Runs command[0] (a path; no PATH search) with `input` as its standard input and `environment` ("NAME=VALUE") as all
// that it sees of one, and waits for it. Throws io_error when it cannot be started. Any thread.
ProcessResult run_process(const std::vector<std::string>& command, std::string_view input,
                          const std::vector<std::string>& environment);

}  // namespace heddle::compile
