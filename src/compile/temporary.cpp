#include "compile/temporary.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/fail.hpp"

namespace heddle::compile {

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::create() {
  std::error_code missing;
  std::filesystem::path parent = std::filesystem::temp_directory_path(missing);
  if (missing) parent = "/tmp";
  std::string name = (parent / "heddle-XXXXXX").string();
  if (!::mkdtemp(name.data())) {
    base::fail(ErrorCode::io_error,
               "Cannot make a temporary folder in {}: {}. Set TMPDIR to a folder that can be written.", parent.string(),
               std::strerror(errno));
  }
  path_ = name;
}

}  // namespace heddle::compile
