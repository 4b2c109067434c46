// CUDA C++ to PTX, with clang 19 and Heddle's own device headers, so that no part of the NVIDIA SDK is needed; or,
// where that is chosen, with NVRTC and the SDK's headers (nvrtc/).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "compile/options.hpp"

namespace heddle::compile {

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
