// CUDA C++.
#include <fmt/format.h>

#include <exception>

#include "compile/clang.hpp"
#include "compile/compile.hpp"
#include "compile/environment.hpp"
#include "compile/subprocess.hpp"
#include "ptx/parser.hpp"
#include "runtime/doctor/checks.hpp"

namespace heddle::runtime::doctor {
namespace {

constexpr const char* source = R"(#include <cmath>
extern "C" __global__ void doctor(float* x) { x[threadIdx.x] = std::sqrt(x[threadIdx.x]) + sinf(1.0f); }
)";
constexpr const char* install = "Install the Debian package clang-19 (apt-get install clang-19), or set HEDDLE_CLANG.";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding failed(Mark mark, std::string text, std::string mend) {
  return {"CUDA C++", mark, std::move(text), std::move(mend), false};
}

}  // namespace

Finding check_compiler() {
  compile::Clang clang;
  try {
    clang = compile::find_clang();
  } catch (const std::exception& error) {
    return failed(Mark::missing, error.what(), "Kernels in PTX do not need it.");
  }
  const std::string program = clang.path.string();
  try {
    const compile::ProcessResult asked =
        compile::run_process({program, "--version"}, {}, compile::compiler_environment());
    if (asked.exit_status != 0)
      return failed(Mark::wrong, fmt::format("{} does not run: {}", program, first_line(asked.err)), install);
    const std::string version = first_line(asked.out);
    // From the cache only if this very clang, with the headers as they are, has made it before.
    if (ptx::parse(compile::compile_cuda(source, "doctor.cu"), "doctor.ptx").functions.empty())
      return failed(Mark::wrong, fmt::format("{} ({}) makes no kernel of a small source.", program, version), install);
    return good("CUDA C++", fmt::format("{}: {}; compiles a small kernel", program, version));
  } catch (const std::exception& error) {
    return failed(
        Mark::wrong, fmt::format("{} does not compile a small kernel: {}", program, error.what()),
        "Without headers of a C++ library, install g++ or libstdc++-12-dev; else another clang 19 (HEDDLE_CLANG).");
  }
}

}  // namespace heddle::runtime::doctor
