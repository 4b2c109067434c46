// Outputs of compilers and linkers, which appear when they are whole.
#pragma once

#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"

namespace heddle::programs {

// A compiler writes into its output bit by bit, and leaves a part where it is killed. So it gets names in a folder
// beside each output (-o, and the list of dependencies), from where the files are moved when the command has
// succeeded. Folders that a killed process left go with the next command that writes there. Devices and pipes are
// written to directly; so are outputs of commands that name other files like the output, as -gsplit-dwarf.
class PendingOutputs {
 public:
  // `own`: outputs in this folder are nobody's but Heddle's. Throws not_found if the folder of an output does not
  // exist, io_error if an output cannot be written.
  PendingOutputs(std::vector<std::string> command, const std::filesystem::path& own);
  const std::vector<std::string>& command() const { return command_; }
  // After the command has succeeded. Throws io_error.
  void settle();

 private:
  struct Pending {
    std::filesystem::path target, made;
    base::TemporaryFolder folder;
  };

  void name_dependencies(const std::string& output);
  void set_aside(std::string& output);

  std::vector<std::string> command_;
  std::list<Pending> pending_;
};

}  // namespace heddle::programs
