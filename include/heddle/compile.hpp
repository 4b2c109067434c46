// How CUDA C++ is compiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

enum class Compiler {
  by_default,  // $HEDDLE_COMPILER, "clang" or "nvrtc"; if it is not set, clang
  clang,       // clang 19 and Heddle's own device headers
  nvrtc,       // NVIDIA's NVRTC and the headers of its SDK, which must be installed; device code only
};

struct CompileOptions {
  std::vector<std::string> defines = {};  // "NAME", "NAME=VALUE" or "NAME(PARAMETERS)=VALUE"
  // Folders for #include. With clang, those with cuda_runtime_api.h are searched after Heddle's headers.
  std::vector<std::string> include_paths = {};
  std::string arch = "sm_80";           // the target of the PTX
  bool fast_math = false;               // as nvcc's -use_fast_math
  int opt = 3;                          // 0 to 3; NVRTC has 3 only
  bool line_info = true;                // faults can then name the line of the source
  std::vector<std::string> extra = {};  // passed to the compiler as they are
  Compiler compiler = Compiler::by_default;
};

// The PTX of a CUDA C++ file; needs no device. Throws compile_error with the compiler's messages, not_found or
// io_error, invalid_argument for invalid options, unsupported for options that NVRTC does not have and if NVRTC cannot
// be used. Results are cached on disk. Any thread.
std::string compile_to_ptx(const std::filesystem::path& file, const CompileOptions& options = {});

}  // namespace heddle
