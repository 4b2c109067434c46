// CUDA C++.
#include <fmt/format.h>

#include <exception>
#include <vector>

#include "compile/clang.hpp"
#include "compile/compile.hpp"
#include "compile/environment.hpp"
#include "compile/lack.hpp"
#include "compile/nvrtc/find.hpp"
#include "compile/nvrtc/run.hpp"
#include "compile/subprocess.hpp"
#include "doctor/checks.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

namespace heddle::doctor {
namespace {

constexpr const char* source = R"(#include <cmath>
extern "C" __global__ void doctor(float* x) { x[threadIdx.x] = std::sqrt(x[threadIdx.x]) + sinf(1.0f); }
)";
constexpr const char* plain_source =
    R"(extern "C" __global__ void doctor(float* x) { x[threadIdx.x] = sinf(x[threadIdx.x]); }
)";
constexpr const char* nvrtc_mend = "Choose another with HEDDLE_NVRTC; only --compiler nvrtc needs it.";
constexpr const char* install = "Install the Debian package clang-19 (apt-get install clang-19), or set HEDDLE_CLANG.";

bool is_of_memory(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  return known != nullptr && known->code() == ErrorCode::out_of_memory;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// "\n  A: a\n  B: b\n" as " A: a; B: b".
std::string in_one_line(const std::string& lines) {
  std::string text;
  for (std::size_t begin = 0, end; (end = lines.find('\n', begin)) != lines.npos; begin = end + 1)
    text += (text.empty() ? " " : "; ") + lines.substr(begin + 2, end - begin - 2);
  return text;
}

Finding failed(Mark mark, std::string text, std::string mend) {
  return {"CUDA C++", mark, std::move(text), std::move(mend), false};
}

Finding nvrtc_failed(Mark mark, std::string text, std::string mend) {
  return {"nvrtc", mark, std::move(text), std::move(mend), false};
}

// With one header of the SDK, where it is there.
Finding compile_with_nvrtc(const compile::nvrtc::Library& library) {
  const std::vector<std::string> headers = compile::nvrtc::find_headers(library);
  const std::string name =
      fmt::format("{}: NVRTC {}", library.path.string(), compile::nvrtc::describe(library).version);
  const std::string text = headers.empty() ? plain_source : "#include <cuda_fp16.h>\n" + std::string(plain_source);
  const compile::CompileOptions options{.compiler = compile::Compiler::nvrtc};
  if (ptx::parse(compile::compile_cuda(text, "doctor.cu", options), "doctor.ptx").functions.empty())
    return nvrtc_failed(Mark::wrong, name + " makes no kernel of a small source.", nvrtc_mend);
  if (headers.empty())
    return nvrtc_failed(Mark::wrong,
                        name + "; compiles a small kernel, but the SDK's headers (cuda_fp16.h, ...) are missing.",
                        "Install them beside it (pip install nvidia-cuda-runtime-cu12), or set CUDA_HOME.");
  return good("nvrtc",
              fmt::format("{}; headers of the SDK in {}; compiles a small kernel", name, fmt::join(headers, ", ")));
}

}  // namespace

Finding check_compiler() {
  try {
    compile::chosen_compiler({});
  } catch (const std::exception& error) {
    return failed(Mark::wrong, error.what(), "Set it to one of these, or unset it.");
  }
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
    const compile::CompileOptions options{.compiler = compile::Compiler::clang};
    if (ptx::parse(compile::compile_cuda(source, "doctor.cu", options), "doctor.ptx").functions.empty())
      return failed(Mark::wrong, fmt::format("{} ({}) makes no kernel of a small source.", program, version), install);
    return good("CUDA C++", fmt::format("{}: {}; compiles a small kernel", program, version));
  } catch (const std::exception& error) {
    if (is_of_memory(error)) return failed(Mark::wrong, error.what(), more_memory);
    return failed(
        Mark::wrong, fmt::format("{} does not compile a small kernel: {}", program, error.what()),
        "Without headers of a C++ library, install g++ or libstdc++-12-dev; else another clang 19 (HEDDLE_CLANG).");
  }
}

Finding check_host_compiler() {
  constexpr const char* subject = "host code";
  const auto none = [&](Mark mark, std::string text, std::string mend) {
    return Finding{subject, mark, std::move(text), std::move(mend), false};
  };
  std::string program;
  try {
    program = compile::find_host_clang().path.string();
    const compile::ProcessResult read = compile::run_process({program, "-x", "c++", "-c", "-o", "/dev/null", "-"},
                                                             "#include <cmath>\n", compile::compiler_environment());
    if (read.exit_status == 0) return good(subject, program + ": for heddle cc and heddle run FILE.cu");
    compile::refuse_lack(program, read, "/dev/null");
    return none(Mark::wrong, fmt::format("{} does not compile C++: {}", program, first_line(read.err)),
                "Install g++ or libstdc++-12-dev; heddle cc and heddle run FILE.cu need it.");
  } catch (const std::exception& error) {
    if (is_of_memory(error)) return none(Mark::wrong, error.what(), more_memory);
    return none(Mark::missing, error.what(), "Only heddle cc and heddle run FILE.cu need it.");
  }
}

Finding check_nvrtc(bool chosen) {
  try {
    std::vector<compile::nvrtc::Place> looked_at;
    const auto library = compile::nvrtc::look_for_library(looked_at);
    if (library) return compile_with_nvrtc(*library);
    return nvrtc_failed(chosen ? Mark::missing : Mark::not_here,
                        fmt::format("no libnvrtc.so in{}; only --compiler nvrtc needs it.",
                                    in_one_line(compile::nvrtc::describe(looked_at))),
                        compile::nvrtc::install_hint);
  } catch (const std::exception& error) {
    return nvrtc_failed(Mark::wrong, error.what(), is_of_memory(error) ? more_memory : nvrtc_mend);
  }
}

}  // namespace heddle::doctor
