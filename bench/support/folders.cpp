#include "support/folders.hpp"

#include <cstdlib>
#include <system_error>

namespace heddle::bench {
namespace {

// Empty when the program lies in no archive.
std::filesystem::path archive() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || program.parent_path().filename() != "bin") return {};
  const std::filesystem::path root = program.parent_path().parent_path().parent_path();
  return std::filesystem::is_directory(root / "bench" / "bin", error) ? root : std::filesystem::path();
}

const char* set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::filesystem::path source_root() {
  if (const char* chosen = set("HEDDLE_SOURCE")) return chosen;
  const std::filesystem::path root = archive();
  return root.empty() ? std::filesystem::path(HEDDLE_SOURCE_FOLDER) : root;
}

std::filesystem::path results_folder() {
  if (const char* chosen = set("HEDDLE_RESULTS")) return chosen;
  return archive().empty() ? std::filesystem::path(HEDDLE_SOURCE_FOLDER) / "build" / "results" : "results";
}

}  // namespace heddle::bench
