#include "base/overwrite.hpp"

#include <sys/stat.h>

#include "base/fail.hpp"

namespace heddle::base {

void refuse_overwrite(std::string_view option, const std::filesystem::path& output,
                      std::span<const std::filesystem::path> inputs) {
  struct stat target{}, source{};
  if (::stat(output.c_str(), &target) != 0 || !S_ISREG(target.st_mode)) return;
  for (const std::filesystem::path& input : inputs) {
    if (::stat(input.c_str(), &source) != 0 || source.st_dev != target.st_dev || source.st_ino != target.st_ino)
      continue;
    fail(ErrorCode::invalid_argument,
         "{} {}: the output would replace {}, which is an input; name another file. Nothing was written.", option,
         output.string(), input == output ? "this file" : "the file " + input.string());
  }
}

}  // namespace heddle::base
