#include "base/caller_place.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string_view>

namespace heddle::base {
namespace {

// libheddle.so, libheddle_cpu.so, libheddle_cuda.so, those that stand in for NVIDIA's, and the program heddle.
bool is_of_heddle(std::string_view name) {
  if (name == "heddle") return true;
  for (const std::string_view start : {"libheddle", "libcudart.so", "libcuda.so", "libstdc++", "libc.so", "ld-linux"})
    if (name.starts_with(start)) return true;
  return false;
}

// Behind the Python package lies the interpreter, whose code tells nothing of the program.
bool is_of_python(std::string_view name) { return name.starts_with("_core.cpython"); }

// The dynamic loader knows the program by the name that it was started with, which may be anything.
std::string name_of(const char* file) {
  const std::filesystem::path path = file;
  if (std::strcmp(file, ::program_invocation_name) != 0) return path.filename().string();
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (error ? path : program).filename().string();
}

}  // namespace

std::string caller_place() noexcept {
  constexpr int most_frames = 48;
  std::array<void*, most_frames> frames{};
  const int count = ::backtrace(frames.data(), most_frames);
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    // The instruction behind the call may be in the next function.
    const auto code = reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]) - 1;
    if (::dladdr(reinterpret_cast<void*>(code), &info) == 0 || info.dli_fname == nullptr) continue;
    try {
      const std::string name = name_of(info.dli_fname);
      if (is_of_heddle(name)) continue;
      if (is_of_python(name)) return {};
      return fmt::format("{}+{:#x}{}", name, code - reinterpret_cast<std::uintptr_t>(info.dli_fbase),
                         info.dli_sname == nullptr ? "" : fmt::format(" ({})", info.dli_sname));
    } catch (const std::exception&) {
      return {};
    }
  }
  return {};
}

}  // namespace heddle::base
