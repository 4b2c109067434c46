#include "compile/precompiled.hpp"

#include <unistd.h>

#include <exception>
#include <system_error>

#include "base/hash.hpp"
#include "base/log.hpp"
#include "compile/subprocess.hpp"

namespace heddle::compile {
namespace {

std::string file_name(const Clang& clang, const std::vector<std::string>& arguments) {
  base::Sha256 hash;
  hash.add_field(clang.identity);
  for (const std::string& argument : arguments) hash.add_field(argument);
  return "prelude-" + hash.hex().substr(0, 16) + ".pch";
}

// Written beside its place and renamed, so that nobody sees half of it.
bool make(const std::filesystem::path& file, const std::vector<std::string>& arguments,
          const std::filesystem::path& prelude) {
  const std::string part = file.string() + '.' + std::to_string(::getpid());
  std::vector<std::string> command = arguments;
  command.insert(command.end(), {"-Wno-pragma-system-header-outside-header", "-Xclang", "-emit-pch", "-o", part, "--",
                                 prelude.string()});
  const bool made = run_process(command, {}).exit_status == 0;
  std::error_code failed;
  if (made) std::filesystem::rename(part, file, failed);
  if (!made || failed) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
  }
  return made && !failed;
}

}  // namespace

std::optional<std::filesystem::path> precompiled_prelude(const Clang& clang, const std::filesystem::path& folder,
                                                         const std::vector<std::string>& arguments) {
  try {
    const auto file = folder / file_name(clang, arguments);
    if (std::filesystem::exists(file) || make(file, arguments, folder / "heddle/prelude.h")) return file;
  } catch (const std::exception& error) {
    base::log_info("the device headers are not precompiled: {}", error.what());
  }
  return {};
}

bool refused_precompiled(const std::string& diagnostics) {
  return diagnostics.find("PCH") != std::string::npos || diagnostics.find(".pch'") != std::string::npos ||
         diagnostics.find("precompiled") != std::string::npos;
}

}  // namespace heddle::compile
