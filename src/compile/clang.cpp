#include "compile/clang.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/variables.hpp"
#include "compile/environment.hpp"
#include "compile/subprocess.hpp"
#include "heddle/error.hpp"

namespace heddle::compile {
namespace {

constexpr int clang_version = 19;

std::optional<Clang> as_program(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || ::access(path.c_str(), X_OK) != 0) return {};
  std::error_code ignored;
  auto real = std::filesystem::canonical(path, ignored);
  std::string identity = real.string() + ' ' + std::to_string(info.st_size) + ' ' +
                         std::to_string(info.st_mtim.tv_sec) + '.' + std::to_string(info.st_mtim.tv_nsec);
  return Clang{path, identity};
}

// 128-bit atomics and the rest of what sm_90 added need PTX 8.3; older targets get 8.0, which every driver since
// CUDA 12.0 accepts.
std::string ptx_feature(std::string_view arch) {
  return std::atoi(std::string(arch.substr(3)).c_str()) >= 90 ? "--cuda-feature=+ptx83" : "--cuda-feature=+ptx80";
}

std::optional<Clang> on_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "";
  while (!rest.empty()) {
    auto end = std::min(rest.find(':'), rest.size());
    std::filesystem::path folder(rest.substr(0, end));
    if (folder.is_absolute()) {
      if (auto found = as_program(folder / name)) return found;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

// The clang of an archive of script/bundle, seen from the program or library that this code is in.
std::optional<Clang> in_archive() {
  Dl_info unused{};
  link_map* object = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&in_archive), &unused, reinterpret_cast<void**>(&object),
                RTLD_DL_LINKMAP) == 0)
    return {};
  std::error_code error;
  const bool is_library = object != nullptr && *object->l_name != '\0';  // programs have no name there
  const auto file = std::filesystem::canonical(is_library ? object->l_name : "/proc/self/exe", error);
  if (error) return {};
  for (const char* up : {"..", "../.."}) {
    if (auto found = as_program((file.parent_path() / up / "lib/heddle/clang/clang-19").lexically_normal()))
      return found;
  }
  return {};
}

bool new_enough(const Clang& clang) {
  ProcessResult version = run_process({clang.path.string(), "-dumpversion"}, {}, compiler_environment());
  return version.exit_status == 0 && std::atoi(version.out.c_str()) >= clang_version;
}

bool is_arch(std::string_view arch) {
  if (!arch.starts_with("sm_")) return false;
  arch.remove_prefix(3);
  if (arch.ends_with('a')) arch.remove_suffix(1);
  return arch.size() >= 2 && arch.size() <= 3 &&
         std::all_of(arch.begin(), arch.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool is_definition(std::string_view text) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '$' || c >= 0x80; };
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) || text.find('\n') != text.npos) return false;
  const auto name_end = std::find_if_not(text.begin(), text.end(), in_name);
  if (name_end == text.begin()) return false;
  std::string_view rest = text.substr(static_cast<std::size_t>(name_end - text.begin()));
  if (rest.starts_with('(')) rest.remove_prefix(std::min(rest.find(')') + 1, rest.size()));
  return rest.empty() || rest[0] == '=';
}

bool has_file(const std::string& folder, const char* name) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(folder) / name, ignored);
}

// The headers switch contraction back on after themselves, unless the user has switched it off.
bool forbids_contraction(const CompileOptions& options) {
  return std::any_of(options.extra.begin(), options.extra.end(), [](const std::string& argument) {
    return argument == "-ffp-contract=off" || argument == "-ffp-contract=on";
  });
}

void add_fast_math(std::vector<std::string>& arguments) {
  arguments.insert(arguments.end(), {"-fgpu-flush-denormals-to-zero", "-DHEDDLE_FAST_MATH=1", "-mllvm",
                                     "-nvptx-prec-divf32=1", "-mllvm", "-nvptx-prec-sqrtf32=0"});
}

std::optional<Clang> chosen_clang() {
  const auto chosen = base::text_variable("HEDDLE_CLANG");
  if (!chosen) return {};
  auto found = chosen->find('/') == std::string::npos ? on_path(chosen->c_str()) : as_program(chosen->c_str());
  if (found) return found;
  throw Error(ErrorCode::invalid_argument, std::string("HEDDLE_CLANG is '") + *chosen +
                                               "', which is not a program that can be run. " + clang_advice);
}

std::optional<Clang> of_the_machine() {
  if (auto found = on_path("clang-19")) return found;
  for (const char* place : {"/usr/bin/clang-19", "/usr/lib/llvm-19/bin/clang", "/usr/local/bin/clang-19",
                            "/usr/local/opt/llvm@19/bin/clang", "/opt/llvm-19/bin/clang"}) {
    if (auto found = as_program(place)) return found;
  }
  if (auto found = on_path("clang"); found && new_enough(*found)) return found;
  return {};
}

}  // namespace

Clang find_clang() {
  if (auto found = chosen_clang()) return *found;
  if (auto found = in_archive()) return *found;
  if (auto found = of_the_machine()) return *found;
  throw Error(ErrorCode::not_found,
              std::string("Compiling CUDA C++ needs clang 19, which was not found. ") + clang_advice);
}

Clang find_host_clang() {
  if (auto found = chosen_clang()) return *found;
  if (auto found = of_the_machine()) return *found;
  throw Error(ErrorCode::not_found,
              std::string("Compiling host code needs clang 19, which was not found") +
                  (in_archive() ? " (the one that comes with Heddle only makes PTX of CUDA C++). " : ". ") +
                  clang_advice);
}

bool is_relocatable(const CompileOptions& options) {
  return std::find(options.extra.begin(), options.extra.end(), "-fgpu-rdc") != options.extra.end();
}

ExtraOptions split_extra(const CompileOptions& options) {
  const std::vector<std::string>& words = options.extra;
  ExtraOptions extra;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool forced =
        (words[i].starts_with("-include") && !words[i].starts_with("-include-")) || words[i].starts_with("-imacros");
    const bool pair = words[i] == "-include" || words[i] == "-imacros" || words[i] == "-Xclang" || words[i] == "-mllvm";
    std::vector<std::string>& list = forced ? extra.forced_includes : extra.others;
    list.push_back(words[i]);
    if (pair && i + 1 < words.size()) list.push_back(words[++i]);
  }
  return extra;
}

void check_options(const CompileOptions& options) {
  if (!is_arch(options.arch)) {
    throw Error(ErrorCode::invalid_argument,
                "'" + options.arch + "' is not a GPU architecture: expected sm_80 or the like.");
  }
  if (options.opt < 0 || options.opt > 3) {
    throw Error(ErrorCode::invalid_argument,
                "Optimisation level " + std::to_string(options.opt) + " does not exist: expected 0 to 3.");
  }
  for (const std::string& define : options.defines) {
    if (!is_definition(define)) {
      throw Error(ErrorCode::invalid_argument, "'" + define +
                                                   "' is not a macro definition: expected NAME, NAME=VALUE or "
                                                   "NAME(PARAMETERS)=VALUE, without spaces in NAME or line ends.");
    }
  }
}

std::vector<std::string> language_arguments(const Clang& clang, const std::filesystem::path& headers,
                                            const CompileOptions& options) {
  std::vector<std::string> arguments{
      clang.path.string(), "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + options.arch,
      // What stands in a configuration file of clang would be no part of the cache's key.
      "--no-default-config",
      // Nothing of an installed CUDA SDK may be seen, so that results do not depend on one.
      "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-Wno-unknown-cuda-version", ptx_feature(options.arch),
      "-S", "-O" + std::to_string(options.opt), "-std=c++17",
      // nvcc fuses a * b + c too. Unlike plain `fast` this lets the math headers switch it off where rounding counts.
      "-ffp-contract=fast-honor-pragmas",
      // Keeps calls such as __builtin_sinf calls, which the headers can define; as intrinsics NVPTX could not select
      // them.
      "-fmath-errno",
      // CUDA programs hand variables to shuffles that only the lane that is read from has set. Otherwise clang takes
      // it that every lane has set them, and so that every lane is that one.
      "-Xclang", "-no-enable-noundef-analysis",
      // Else clang drops memory of the device heap that a kernel does not hand out, and mistakes with it.
      "-fno-builtin-malloc", "-fno-builtin-free",
      // C++20 has modules, with which clang takes a function for hosts and one for devices that the precompiled header
      // both has (operator new) for two definitions of one.
      "-Xclang", "-fno-cxx-modules",
      // Warnings, as with nvcc: int2{threadIdx.x, threadIdx.y} is common, and old programs have register variables and
      // "text"MACRO.
      "-Wno-error=c++11-narrowing", "-Wno-error=register", "-Wno-error=reserved-user-defined-literal",
      // The C++ library declares variadic helpers (never called) among the functions that the headers open to devices.
      "-Xclang", "-fcuda-allow-variadic-functions",
      // Selections stay selections: lanes differ in them, so a branch would cost both sides and more.
      "-mllvm", "-disable-cgp-select2branch", "-fuse-cuid=none", "-fno-crash-diagnostics", "-fno-color-diagnostics",
      "-Wno-pass-failed", "-I" + headers.string()};
  if (options.line_info) arguments.push_back("-gline-directives-only");
  if (options.fast_math) add_fast_math(arguments);
  if (forbids_contraction(options)) arguments.push_back("-DHEDDLE_FP_CONTRACT_OFF=1");
  const ExtraOptions extra = split_extra(options);
  arguments.insert(arguments.end(), extra.others.begin(), extra.others.end());
  return arguments;
}

std::vector<std::string> named_folders(const CompileOptions& options) {
  std::vector<std::string> folders = options.include_paths;
  for (std::size_t i = 0; i < options.extra.size(); ++i) {
    for (const std::string_view option : {"-I", "-isystem", "-iquote", "-idirafter"}) {
      if (!options.extra[i].starts_with(option)) continue;
      const std::string value = options.extra[i].substr(option.size());
      if (!value.empty()) {
        folders.push_back(value);
      } else if (i + 1 < options.extra.size()) {
        folders.push_back(options.extra[++i]);
      }
      break;
    }
  }
  return folders;
}

IncludePaths include_arguments(const CompileOptions& options, const std::filesystem::path& headers) {
  IncludePaths paths;
  for (const std::string& path : options.include_paths) {
    auto& list = has_file(path, "cuda_runtime_api.h") ? paths.after : paths.before;
    list.insert(list.end(), {"-I", path});
  }
  std::vector<std::string> folders = environment_include_paths();
  for (const std::string& folder : named_folders(options)) folders.push_back(folder);
  if (std::any_of(folders.begin(), folders.end(),
                  [](const std::string& folder) { return has_file(folder, "nv/target"); })) {
    paths.before.insert(paths.before.begin(), {"-I", (headers / "adapted").string()});
  } else {
    paths.own = {"-I", (headers / "libcudacxx").string()};
  }
  return paths;
}

std::string definitions(const CompileOptions& options) {
  std::string text;
  for (const std::string& define : options.defines) {
    const auto equals = define.find('=');
    text +=
        "#define " + define.substr(0, equals) + ' ' + (equals == define.npos ? "1" : define.substr(equals + 1)) + '\n';
  }
  return text;
}

}  // namespace heddle::compile
