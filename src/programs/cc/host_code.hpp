// The host side of a source, and the linker: command lines for clang, or for the compiler that -ccbin names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "programs/cc/options.hpp"

namespace heddle::programs {

// What the commands refer to; all must exist while they run.
struct HostTools {
  std::filesystem::path clang;
  std::string host_compiler;        // of plain C and C++, and the linker
  std::filesystem::path headers;    // Heddle's
  std::filesystem::path libraries;  // Heddle's libcudart and libcuda
  std::filesystem::path temporary;  // a folder for files of this build
};

// clang, and -ccbin where it is given. Throws not_found.
HostTools find_host_tools(const CcOptions& options);

// Compiles `input`. `image`: the fat binary of its device code; empty for sources that have none. `output`: the object
// file, or what -E or -M write; empty: standard output. Writes a header with the options' macros into the
// cache.
std::vector<std::string> host_command(const CcOptions& options, const HostTools& tools, const Input& input,
                                      const std::filesystem::path& image, const std::string& output);

// The linker's -L of the folder with Heddle's libraries.
std::string library_folder_argument(const HostTools& tools);

// Throws not_found for a library of NVIDIA's that is not on this machine.
std::vector<std::string> link_command(const CcOptions& options, const HostTools& tools,
                                      const std::vector<std::string>& objects);

}  // namespace heddle::programs
