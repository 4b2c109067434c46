#include "base/overwrite.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>

#include "base/fail.hpp"
#include "base/variables.hpp"

namespace heddle::base {
namespace {

bool is_source_name(const std::filesystem::path& file) {
  static constexpr const char* endings[] = {".cu",  ".cuh", ".c",   ".h",   ".cc", ".hh",
                                            ".cpp", ".hpp", ".cxx", ".hxx", ".inl"};
  const std::string ending = file.extension().string();
  return std::find(std::begin(endings), std::end(endings), ending) != std::end(endings);
}

// Of a name that need not exist, through links of folders and those that lead to nothing yet.
std::filesystem::path resolved(std::filesystem::path file) {
  constexpr int most_links = 40;
  std::error_code unknown;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(file, unknown); ++i)
    file = file.parent_path() / std::filesystem::read_symlink(file, unknown);
  const std::filesystem::path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(file), unknown);
  return unknown ? file : whole;
}

bool are_one(const std::filesystem::path& a, const std::filesystem::path& b) {
  struct stat first{}, second{};
  const bool is_first = ::stat(a.c_str(), &first) == 0, is_second = ::stat(b.c_str(), &second) == 0;
  if (is_first && is_second)
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  return !is_first && !is_second && resolved(a) == resolved(b);
}

}  // namespace

void refuse_same_outputs(std::span<const Output> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (!are_one(outputs[k].file, outputs[i].file)) continue;
      fail(ErrorCode::invalid_argument,
           "{} and {} would both write {}, and one of them would be lost; name another file. Nothing was written.",
           outputs[k].option, outputs[i].option, outputs[i].file.string());
    }
}

std::vector<Output> outputs_of_devices(std::string_view devices) {
  std::vector<Output> outputs;
  for (std::string_view id : split_devices(devices)) {
    if (!id.starts_with("sim:")) continue;
    while (id.find(',') != id.npos) {
      id.remove_prefix(id.find(',') + 1);
      const std::string_view option = id.substr(0, id.find(','));
      for (const std::string_view key : {"report=", "trace="})
        if (option.starts_with(key) && option.ends_with(".json"))
          outputs.push_back({std::string(option), std::string(option.substr(key.size()))});
    }
  }
  return outputs;
}

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
