// Where Heddle's libraries for CUDA programs lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::programs {

// The folder with libcudart.so.11.0, .12 and .13 and libcuda.so.1, beside this program as it was built or installed.
// Throws not_found with where it was looked for.
std::filesystem::path library_folder();

// The folder with the libcuda.so.1 that forwards to NVIDIA's (src/interpose); empty where it was not built.
std::filesystem::path interposer_folder();

// The program with ptxas's command line, beside this one as it was built or installed; empty where it is not there.
std::filesystem::path ptxas_program();

// The environment of this process as "NAME=VALUE".
std::vector<std::string> environment();

// A program on PATH, or `name` itself where it has a slash; empty when there is none.
std::string find_program(const std::string& name);

}  // namespace heddle::programs
