// A folder that is removed with its content when the object goes.
#pragma once

#include <filesystem>

namespace heddle::compile {

class TemporaryFolder {
 public:
  TemporaryFolder() = default;  // none yet
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  // Makes the folder under $TMPDIR or /tmp, readable by this user alone. Throws io_error.
  void create();
  // Empty before create().
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace heddle::compile
