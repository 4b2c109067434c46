#include "programs/cc/libraries.hpp"

#include <cstdlib>
#include <string_view>

#include "base/fail.hpp"
#include "compile/nvrtc/find.hpp"
#include "programs/closed_libraries.hpp"

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;

// Where the linker looks for them, in its order.
std::vector<fs::path> folders_of(const CcOptions& options) {
  std::vector<fs::path> folders(options.library_paths.begin(), options.library_paths.end());
  for (const std::string& word : options.linker)
    if (word.starts_with("-L")) folders.emplace_back(word.substr(2));
  if (const char* more = std::getenv("LIBRARY_PATH")) {
    for (std::string_view rest = more; !rest.empty();) {
      const auto end = std::min(rest.find(':'), rest.size());
      folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  folders.insert(folders.end(), {"/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/" HEDDLE_MULTIARCH});
  return folders;
}

// Those of the SDK that is found, where nvcc looks too.
std::vector<fs::path> folders_of_sdk() {
  std::vector<fs::path> folders;
  for (const std::string& headers : compile::nvrtc::find_headers())
    for (const char* name : {"lib64", "lib", "targets/x86_64-linux/lib"})
      folders.push_back(fs::path(headers).parent_path() / name);
  return folders;
}

// The file that -lNAME means; empty where there is none.
fs::path find_library(const std::string& name, const std::vector<fs::path>& folders) {
  std::error_code error;
  const bool is_file = name.starts_with(':');  // -l:libNAME.a
  for (const fs::path& folder : folders) {
    if (fs::path file = folder / name.substr(is_file ? 1 : 0); is_file && fs::exists(file, error)) return file;
    for (const char* extension : {".so", ".a"})
      if (fs::path file = folder / ("lib" + name + extension); fs::exists(file, error)) return file;
  }
  return {};
}

bool is_heddles(const std::string& name) { return name == "cudart" || name == "cudart_static" || name == "cudadevrt"; }

std::string driver(const fs::path& own) {
  const fs::path file = own / "libcuda.so.1";
  std::error_code error;
  if (!fs::exists(file, error))
    base::fail(ErrorCode::not_found, "-lcuda: Heddle's libcuda.so.1 is not in {}", own.string());
  return file.string();
}

}  // namespace

std::vector<std::string> archives(const CcOptions& options) {
  std::vector<std::string> files, names = options.libraries;
  for (const std::string& word : options.linker) {
    if (word.starts_with("-l")) names.push_back(word.substr(2));
    if (word.ends_with(".a") && !word.starts_with('-')) files.push_back(word);
  }
  for (const std::string& name : names)
    if (const fs::path file = find_library(name, folders_of(options)); file.extension() == ".a" && !is_heddles(name))
      files.push_back(file.string());
  return files;
}

std::string library_argument(const std::string& name, const CcOptions& options, const fs::path& own) {
  if (is_heddles(name)) return {};  // linked at the end, or not needed
  if (name == "cuda") return driver(own);
  if (is_one_of(closed_libraries, name) && find_library(name, folders_of(options)).empty()) {
    if (const fs::path file = find_library(name, folders_of_sdk()); !file.empty()) return file.string();
    base::fail(ErrorCode::not_found,
               "-l{}: lib{} is a library of NVIDIA's without source; Heddle has none of its own, and none was found on "
               "this machine (-L FOLDER says where one is)",
               name, name);
  }
  return "-l" + name;
}

}  // namespace heddle::programs
