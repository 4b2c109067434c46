// Where tests find their data and the programs that they run: in the source that they were built from or, when they lie
// in an archive of script/bundle, in that archive. Environment variables decide before either.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace heddle::tests {

// The folder tests/ of the archive that this program lies in (tests/bin/NAME); empty when it lies in none.
inline std::filesystem::path bundled_tests() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path().parent_path();
  return !error && std::filesystem::is_directory(folder / "data" / "run", error) ? folder : std::filesystem::path();
}

// The repository's folder tests/, with its data: $HEDDLE_TEST_DATA, an archive's, or that of the source.
inline std::filesystem::path test_data() {
  if (const char* chosen = std::getenv("HEDDLE_TEST_DATA"); chosen != nullptr && *chosen != '\0') return chosen;
  const std::filesystem::path bundled = bundled_tests();
  return bundled.empty() ? std::filesystem::path(HEDDLE_TEST_DATA) : bundled;
}

// The heddle program: $HEDDLE_PROGRAM, an archive's, or `built`, where this build puts it.
inline std::filesystem::path heddle_program(const char* built) {
  if (const char* chosen = std::getenv("HEDDLE_PROGRAM"); chosen != nullptr && *chosen != '\0') return chosen;
  const std::filesystem::path bundled = bundled_tests();
  return bundled.empty() ? std::filesystem::path(built) : bundled.parent_path() / "bin" / "heddle";
}

}  // namespace heddle::tests
