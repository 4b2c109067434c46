#include "compile/nvrtc/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "compile/nvrtc/find.hpp"
#include "compile/sdk.hpp"

namespace heddle::compile::nvrtc {
namespace {

// Headers of the C++ library that libcu++ has as <cuda/std/NAME>, without a "c" in front or ".h" behind where they are
// C's.
constexpr std::array in_libcudacxx{
    "cassert",          "cfloat",     "chrono",   "climits",   "cmath",           "complex", "cstddef",     "cstdint",
    "cstdlib",          "cstring",    "ctime",    "array",     "atomic",          "barrier", "bit",         "concepts",
    "expected",         "functional", "iterator", "latch",     "limits",          "mdspan",  "numeric",     "optional",
    "initializer_list", "ranges",     "ratio",    "semaphore", "source_location", "span",    "string_view", "tuple",
    "type_traits",      "utility",    "variant",  "version"};
constexpr std::array elsewhere{
    "algorithm",     "any",      "bitset",       "cctype",    "cerrno",     "charconv",  "condition_variable",
    "csignal",       "cstdio",   "deque",        "exception", "filesystem", "format",    "forward_list",
    "fstream",       "future",   "iomanip",      "ios",       "iosfwd",     "iostream",  "istream",
    "list",          "locale",   "map",          "memory",    "mutex",      "new",       "ostream",
    "queue",         "random",   "regex",        "set",       "sstream",    "stack",     "stdexcept",
    "streambuf",     "string",   "system_error", "thread",    "typeinfo",   "typeindex", "unordered_map",
    "unordered_set", "valarray", "vector"};
constexpr std::array of_c{"assert.h", "ctype.h",  "errno.h",  "float.h",   "inttypes.h", "limits.h",
                          "math.h",   "signal.h", "stdarg.h", "stdbool.h", "stddef.h",   "stdint.h",
                          "stdio.h",  "stdlib.h", "string.h", "time.h",    "unistd.h"};

template <class List>
bool has(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// <stdint.h> is <cuda/std/cstdint>.
std::string in_cuda_std(std::string_view name) {
  std::string plain(name);
  if (plain.ends_with(".h")) plain = 'c' + plain.substr(0, plain.size() - 2);
  return has(in_libcudacxx, plain) ? "cuda/std/" + plain : std::string();
}

bool is_standard(std::string_view name) { return has(in_libcudacxx, name) || has(elsewhere, name) || has(of_c, name); }

// The names in: cannot open source file "NAME" (could not, too).
std::set<std::string> missing_files(std::string_view log) {
  constexpr std::string_view before = " not open source file \"", before_too = "cannot open source file \"";
  std::set<std::string> names;
  for (const std::string_view start : {before, before_too}) {
    for (std::size_t at = 0; (at = log.find(start, at)) != log.npos;) {
      at += start.size();
      names.emplace(log.substr(at, log.find('"', at) - at));
    }
  }
  return names;
}

std::string about_missing(const std::string& name, const std::vector<std::string>& headers) {
  if (is_standard(name)) {
    const std::string other = in_cuda_std(name);
    return fmt::format(
        "NVRTC has no C++ library, and so no <{}>: leave it out where __CUDACC_RTC__ is defined{}. printf, assert and "
        "the "
        "math functions are there without a header.",
        name, other.empty() ? "" : fmt::format(", or include <{}> of the SDK", other));
  }
  const bool of_sdk = name.starts_with("cuda") || name.starts_with("cooperative_groups") || !sdk_part(name).empty();
  if (!of_sdk) return {};
  if (headers.empty()) {
    return fmt::format(
        "<{}> is a header of NVIDIA's SDK, which was not found: neither beside NVRTC nor in CUDA_HOME, CUDA_PATH, "
        "/usr/local/cuda*, CONDA_PREFIX, Python packages or /usr/include. {}",
        name, install_hint);
  }
  return fmt::format("<{}> is a header of NVIDIA's SDK that is in none of the SDK's folders that were found: {}.", name,
                     fmt::join(headers, ", "));
}

}  // namespace

std::string explain(std::string_view log, const std::vector<std::string>& headers) {
  std::string text;
  for (const std::string& name : missing_files(log)) {
    const std::string sentence = about_missing(name, headers);
    if (!sentence.empty()) text += '\n' + sentence;
  }
  if (log.find("host functions are not allowed in JIT mode") != log.npos) {
    text +=
        "\nNVRTC compiles device code only: functions without __device__ or __global__ must not be there where "
        "__CUDACC_RTC__ is defined, or with -X --device-as-default-execution-space they are device functions. clang "
        "(--compiler clang) takes host code, too.";
  }
  return text;
}

std::string explain_target(const Description& nvrtc, const std::string& target) {
  int number = 0;
  std::from_chars(target.data(), target.data() + target.size(), number);
  const auto& targets = nvrtc.targets;
  if (targets.empty() || std::find(targets.begin(), targets.end(), number) != targets.end()) return {};
  return fmt::format("NVRTC {} does not know sm_{}; it compiles for sm_{}.", nvrtc.version, target,
                     fmt::join(targets, ", sm_"));
}

}  // namespace heddle::compile::nvrtc
