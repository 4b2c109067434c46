#include "programs/places.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/fail.hpp"

extern "C" char** environ;

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;

constexpr const char* library = "libcudart.so.12";

}  // namespace

fs::path library_folder() {
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error);
  std::string looked_at;
  // As built: build/src/cli/heddle and build/lib; as installed: bin/heddle and lib, or what the system calls lib.
  for (const char* place : {"../../lib/heddle/cuda", "../lib/heddle/cuda", "../lib64/heddle/cuda",
                            "../lib/" HEDDLE_MULTIARCH "/heddle/cuda"}) {
    const fs::path folder = (program.parent_path() / place).lexically_normal();
    if (fs::exists(folder / library, error)) return folder;
    looked_at += (looked_at.empty() ? "" : ", ") + folder.string();
  }
  base::fail(ErrorCode::not_found,
             "Heddle's libraries for CUDA programs ({} and others) are in none of {}; install them "
             "along with the program",
             library, looked_at);
}

fs::path interposer_folder() {
  const fs::path folder = library_folder().parent_path() / "interpose";
  std::error_code error;
  return fs::exists(folder / "libcuda.so.1", error) ? folder : fs::path();
}

fs::path ptxas_program() {
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error).parent_path() / "heddle-ptxas";
  return fs::exists(program, error) ? program : fs::path();
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) all.emplace_back(*entry);
  return all;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != name.npos) return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const std::string file = std::string(rest.substr(0, end)) + '/' + name;
    std::error_code error;
    if (end > 0 && ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error)) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace heddle::programs
