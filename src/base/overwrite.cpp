#include "base/overwrite.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>

#include "base/fail.hpp"

namespace heddle::base {
namespace {

bool is_source_name(const std::filesystem::path& file) {
  static constexpr const char* endings[] = {".cu",  ".cuh", ".c",   ".h",   ".cc", ".hh",
                                            ".cpp", ".hpp", ".cxx", ".hxx", ".inl"};
  const std::string ending = file.extension().string();
  return std::find(std::begin(endings), std::end(endings), ending) != std::end(endings);
}

}  // namespace

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
  // Files that a source includes are inputs that nobody has named.
  std::error_code unknown;
  if (is_source_name(output) || is_source_name(std::filesystem::canonical(output, unknown)))
    fail(ErrorCode::invalid_argument,
         "{} {}: the output would replace this file, which is a source or a header by its name; name another file, or "
         "remove this one. Nothing was written.",
         option, output.string());
}

}  // namespace heddle::base
