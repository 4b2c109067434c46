// Folders that are removed with their content when they are no longer needed, even if the process was killed.
//
// The process that owns a folder holds a lock (flock) on it. A process that creates a folder of the same kind in the
// same place first removes those that are not locked. If the file system has no such locks, none are removed.
#pragma once

#include <filesystem>
#include <string_view>

namespace heddle::base {

class TemporaryFolder {
 public:
  TemporaryFolder() = default;  // none yet
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  // Creates the folder in `parent`, readable by this user alone, with `purpose` in its name: "heddle-<purpose>.XXXXXX".
  // Throws io_error.
  void create(const std::filesystem::path& parent, std::string_view purpose);
  // In $TMPDIR or /tmp.
  void create(std::string_view purpose);
  // Empty before create().
  const std::filesystem::path& path() const { return path_; }

  // Removes all temporary folders of this process, whichever objects own them, and lets no thread make another one: for
  // a program that a signal is about to end. Any thread.
  static void remove_all();

 private:
  bool try_create(const std::filesystem::path& parent, std::string_view purpose);

  std::filesystem::path path_;
  int lock_ = -1;  // a descriptor of the folder
};

}  // namespace heddle::base
