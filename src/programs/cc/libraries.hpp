// The libraries of a program: those of CUDA that Heddle has, those of NVIDIA's that it has not, and all others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "programs/cc/options.hpp"

namespace heddle::programs {

// Words for the linker. `own` is the folder with Heddle's libraries. They are named by their files: the program asks
// for libcudart.so.12, wherever that is found when it runs. Throws not_found with a sentence for a library of NVIDIA's
// that is not there.
std::vector<std::string> library_arguments(const CcOptions& options, const std::filesystem::path& own);

// The files of those that are archives (libNAME.a), without those that are not there.
std::vector<std::string> archives(const CcOptions& options);

}  // namespace heddle::programs
