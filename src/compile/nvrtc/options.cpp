#include "compile/nvrtc/options.hpp"

#include <algorithm>
#include <string_view>

#include "base/fail.hpp"

namespace heddle::compile::nvrtc {
namespace {

// The name of "--name=value", "-name=value", "--name"; NVRTC knows long names with one dash, too.
std::string_view option_name(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return option.substr(0, option.find('='));
}

bool has_option(const std::vector<std::string>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const std::string& option) { return option_name(option) == name; });
}

}  // namespace

std::string target_number(const CompileOptions& options) { return options.arch.substr(3); }

std::vector<std::string> options_for(const CompileOptions& options, const std::vector<std::string>& headers) {
  if (options.opt != CompileOptions{}.opt) {
    base::fail(ErrorCode::unsupported,
               "NVRTC has no optimisation level {}: it always optimises, except for debugging (-X --device-debug).",
               options.opt);
  }
  std::vector<std::string> words{"--gpu-architecture=compute_" + target_number(options)};
  if (!has_option(options.extra, "std")) words.emplace_back("--std=c++17");
  if (options.line_info) words.emplace_back("--generate-line-info");
  if (options.fast_math) words.emplace_back("--use_fast_math");
  for (const auto* folders : {&options.include_paths, &headers}) {
    for (const std::string& folder : *folders) words.push_back("--include-path=" + folder);
  }
  words.insert(words.end(), options.extra.begin(), options.extra.end());
  return words;
}

bool only_make_ptx(const std::vector<std::string>& extra) {
  return std::none_of(extra.begin(), extra.end(), [](const std::string& option) {
    const std::string_view name = option_name(option);
    return name.find("pch") != name.npos || name.find("time") != name.npos || name.find("trace") != name.npos;
  });
}

}  // namespace heddle::compile::nvrtc
