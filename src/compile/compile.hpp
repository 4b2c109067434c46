// CUDA C++ to PTX, with clang 19 and Heddle's own device headers, so that no part of the NVIDIA SDK is needed; or,
// where that is chosen, with NVRTC and the SDK's headers (nvrtc/).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::compile {

enum class Compiler { by_default, clang, nvrtc };

struct CompileOptions {
  std::vector<std::string> defines;        // "NAME", "NAME=VALUE" or "NAME(PARAMETERS)=VALUE"
  std::vector<std::string> include_paths;  // searched before Heddle's own headers, or behind them (include_arguments())
  // sm_80 is the oldest target that has every instruction in wide use (f16x2 and bf16 arithmetic, redux, cp.async,
  // scoped and release/acquire memory operations), and every GPU since Ampere accepts its PTX. Newer targets work too.
  std::string arch = "sm_80";
  bool fast_math = false;          // nvcc's -use_fast_math: flush denormals, approximate division, root and functions
  int opt = 3;                     // -O level, 0 to 3
  bool line_info = true;           // .loc directives, so that faults can name the source line
  std::vector<std::string> extra;  // handed to the compiler as they are
  Compiler compiler = Compiler::by_default;
};

struct CompileResult {
  std::string ptx;
  std::string warnings;     // the compiler's, as printed; empty when there were none
  bool from_cache = false;  // true when no compiler ran
};

// Never by_default: where the options leave it open, $HEDDLE_COMPILER ("clang" or "nvrtc") or clang. Throws
// invalid_argument when that variable has another value.
Compiler chosen_compiler(const CompileOptions& options);

// Compiles `source`. `file_name` is what diagnostics, __FILE__ and line information call it; quoted includes are
// searched in its folder. Throws Error: compile_error with the compiler's diagnostics, not_found when there is no clang
// 19 or NVRTC, invalid_argument for options that make no sense, unsupported for those that NVRTC has not. Results are
// kept on disk (cache.hpp). Any thread.
CompileResult compile_cuda_detailed(std::string_view source, std::string_view file_name, const CompileOptions& options);
std::string compile_cuda(std::string_view source, std::string_view file_name, const CompileOptions& options = {});

// The same for a file. Throws not_found or io_error when it cannot be read.
CompileResult compile_cuda_file_detailed(const std::filesystem::path& file, const CompileOptions& options);
std::string compile_cuda_file(const std::filesystem::path& file, const CompileOptions& options = {});

}  // namespace heddle::compile
