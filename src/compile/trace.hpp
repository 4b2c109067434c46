// Runs clang such that it says what it read and where it looked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compile/search_path.hpp"
#include "compile/subprocess.hpp"

namespace heddle::compile {

struct TracedRun {
  ProcessResult process;  // `err` holds diagnostics only
  bool known = false;     // false when clang stopped before it could say any of what follows
  SearchPath path;
  std::vector<std::string> read;     // all files, those behind a precompiled header as well
  std::vector<std::string> entered;  // those whose text was gone through in this run, without the main file
};

// `command` without the input, which `last` names (as "-" for `input`). `scratch` is a folder for clang's lists.
TracedRun run_traced(std::vector<std::string> command, const std::vector<std::string>& last, std::string_view input,
                     const std::vector<std::string>& environment, const std::filesystem::path& scratch);

}  // namespace heddle::compile
