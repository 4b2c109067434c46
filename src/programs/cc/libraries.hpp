// The libraries of a program: those of CUDA that Heddle has, those of NVIDIA's that it has not, and all others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "programs/cc/options.hpp"

namespace heddle::programs {

// The linker's word for -lNAME; empty where the CUDA runtime, which is linked at the end, has it. `own` is the folder
// with Heddle's libraries. Those are named by their files: the program asks for libcuda.so.1, wherever that is found
// when it runs. Throws not_found with a sentence for a library of NVIDIA's that is not there.
std::string library_argument(const std::string& name, const CcOptions& options, const std::filesystem::path& own);

// The files of those that are archives (libNAME.a), and archives among the linker's own words; without those that are
// not there.
std::vector<std::string> archives(const CcOptions& options);

}  // namespace heddle::programs
