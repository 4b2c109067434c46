// A folder in which heddle cc runs.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {

class Cc : public testing::Test {
 protected:
  Ran cc(const std::string& words) const {
    return run_command("cd " + quoted(folder_.path()) + " && " + quoted(heddle_program(HEDDLE_PROGRAM)) + " cc " +
                       words);
  }
  void file(const std::string& name, const std::string& text) const {
    base::write_file_atomic(folder_.path() / name, std::string_view(text));
  }
  bool is_there(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }
  Ran shell(const std::string& command) const { return run_command("cd " + quoted(folder_.path()) + " && " + command); }

  TemporaryFolder folder_;
};

}  // namespace heddle::tests
