#include "compile/environment.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

extern "C" char** environ;

namespace heddle::compile {
namespace {

constexpr std::array<std::string_view, 3> include_variables{"CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH"};

// TZ and SOURCE_DATE_EPOCH: __DATE__. PATH and HOME: wrapper scripts around clang.
constexpr std::array<std::string_view, 8> variables{"COMPILER_PATH", "GCC_EXEC_PREFIX",   "HOME",   "PATH",
                                                    "SDKROOT",       "SOURCE_DATE_EPOCH", "TMPDIR", "TZ"};
constexpr std::array<std::string_view, 3> variable_families{"CCACHE_", "LD_", "NIX_"};

bool is_handed_on(std::string_view name) {
  const auto is = [&](std::string_view other) { return name == other; };
  return std::any_of(include_variables.begin(), include_variables.end(), is) ||
         std::any_of(variables.begin(), variables.end(), is) ||
         std::any_of(variable_families.begin(), variable_families.end(),
                     [&](std::string_view family) { return name.starts_with(family); });
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

// -f options may name files: profiles, plugins, module maps. Those with a value count only when known.
bool is_harmless_feature(std::string_view option) {
  if (starts_with_any(option, {"-fmodule", "-fimplicit-module", "-fprebuilt", "-fprofile", "-fauto-profile", "-fcs-",
                               "-fapinotes", "-fplugin", "-fpass-plugin", "-fsave-", "-ftime-trace", "-fcrash"})) {
    return false;
  }
  return option.find('=') == option.npos ||
         starts_with_any(option, {"-ffp-", "-fconstexpr-", "-ftemplate-", "-fbracket-depth=", "-fvisibility=",
                                  "-fdenormal-", "-fgpu-", "-fcuda-", "-fmax-", "-ferror-limit=", "-fmessage-length=",
                                  "-ffile-prefix-map=", "-fmacro-prefix-map=", "-fdebug-prefix-map=", "-fveclib="});
}

// LLVM's own options may name files, too; numbers and switches are none.
bool is_harmless_llvm_option(std::string_view option) {
  const std::size_t equals = option.find('=');
  if (equals == option.npos) return option.starts_with('-');
  const std::string_view value = option.substr(equals + 1);
  return value == "true" || value == "false" ||
         std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool is_harmless(std::string_view option) {
  if (option.starts_with("-f")) return is_harmless_feature(option);
  if (starts_with_any(option, {"-Wp,", "-Wa,", "-Wl,", "-include-pch", "-include-pth", "-isysroot", "-mllvm"})) {
    return false;
  }
  return starts_with_any(option, {"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros",
                                  "-std=", "-O", "-g", "-W", "-w", "-pedantic", "-m", "-cuid="});
}

bool takes_next_word(std::string_view option) {
  for (std::string_view name : {"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"}) {
    if (option == name) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> compiler_environment() {
  std::vector<std::string> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (is_handed_on(text.substr(0, text.find('=')))) result.emplace_back(text);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string> environment_include_paths() {
  std::vector<std::string> folders;
  for (const std::string_view name : include_variables) {
    const char* value = std::getenv(std::string(name).c_str());
    for (std::string_view rest = value ? value : ""; !rest.empty();) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      folders.emplace_back(end > 0 ? rest.substr(0, end) : ".");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return folders;
}

bool only_reads_headers(const std::vector<std::string>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string_view option = options[i];
    if ((option == "-Xclang" || option == "-mllvm") && i + 1 < options.size()) {
      const std::string_view argument = options[++i];
      if (!(option == "-mllvm" ? is_harmless_llvm_option(argument) : is_harmless(argument))) return false;
    } else if (!is_harmless(option)) {
      return false;
    } else if (takes_next_word(option)) {
      ++i;
    }
  }
  return true;
}

}  // namespace heddle::compile
