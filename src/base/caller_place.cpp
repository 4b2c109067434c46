#include "base/caller_place.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/source_lines.hpp"
#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_of_program = 8;  // frames that are kept

// libheddle.so, libheddle_cpu.so, libheddle_cuda.so, those that stand in for NVIDIA's, and the program heddle.
bool is_of_heddle(std::string_view name) {
  if (name == "heddle") return true;
  for (const std::string_view start : {"libheddle", "libcudart.so", "libcuda.so", "libstdc++", "libc.so", "ld-linux"})
    if (name.starts_with(start)) return true;
  return false;
}

// Behind the Python package lies the interpreter, whose code tells nothing of the program.
bool is_of_python(std::string_view name) { return name.starts_with("_core.cpython"); }

std::string name_of(const std::string& file) { return fs::path(file).filename().string(); }

// The dynamic loader knows the program by the name that it was started with, which may be anything.
std::string path_of(const char* file) {
  std::error_code error;
  if (std::strcmp(file, ::program_invocation_name) == 0)
    if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) return program.string();
  const fs::path absolute = fs::absolute(file, error);  // the program may change its folder
  return error ? file : absolute.string();
}

const std::string* lasting(std::string file) {
  struct Files {
    Mutex mutex;
    std::set<std::string> all HEDDLE_GUARDED_BY(mutex);
  };
  static Files* const files = new Files;
  const Lock lock(files->mutex);
  return &*files->all.insert(std::move(file)).first;
}

// Calls of CUDA go through such functions on the host's side: templates of the headers, and what clang makes of a
// kernel, which stands for its launch.
bool hands_the_call_on(std::string_view function) {
  constexpr std::string_view cuda = "cuda";
  if (function.find("__device_stub__") != function.npos) return true;
  return function.size() > cuda.size() && function.starts_with(cuda) &&
         std::isupper(static_cast<unsigned char>(function[cuda.size()])) != 0;
}

CallerPlace make_place(std::span<void* const> frames) {
  std::vector<CallerPlace::Frame> kept;
  std::string symbol;
  for (void* frame : frames) {
    if (kept.size() == most_of_program) break;
    Dl_info info{};
    link_map* map = nullptr;
    // The instruction behind the call may be in the next function.
    const auto code = reinterpret_cast<std::uintptr_t>(frame) - 1;
    if (::dladdr1(reinterpret_cast<void*>(code), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
        info.dli_fname == nullptr || map == nullptr)
      continue;
    std::string path = path_of(info.dli_fname);
    const std::string name = name_of(path);
    if (is_of_python(name)) break;
    if (is_of_heddle(name)) continue;
    if (kept.empty() && info.dli_sname != nullptr) symbol = info.dli_sname;
    kept.push_back({lasting(std::move(path)), code - map->l_addr});
  }
  return {std::move(kept), std::move(symbol)};
}

}  // namespace

CallerPlace::CallerPlace(std::vector<Frame> frames, std::string symbol)
    : frames_(std::move(frames)), symbol_(std::move(symbol)) {}

std::string CallerPlace::text() const {
  if (frames_.empty()) return {};
  const auto code = [](const Frame& frame) { return fmt::format("{}+{:#x}", name_of(*frame.file), frame.address); };
  for (const Frame& frame : frames_)
    for (const SourceLine& line : source_lines(*frame.file, frame.address))
      if (!is_library_source(line.file) && !hands_the_call_on(line.function))
        return fmt::format("{}:{} ({})", line.file, line.line, code(frame));
  return code(frames_.front()) + (symbol_.empty() ? "" : fmt::format(" ({})", symbol_));
}

[[gnu::noinline]] CallerPlace caller_place() noexcept {
  std::array<void*, 48> stack{};
  const int count = ::backtrace(stack.data(), static_cast<int>(stack.size()));
  const std::span<void* const> frames(stack.data(), static_cast<std::size_t>(std::max(count, 0)));
  // Before this function's caller lie backtrace()'s own frames, also a sanitizer's.
  const auto caller = std::ranges::find(frames, __builtin_return_address(0));
  try {
    return make_place(frames.subspan(caller == frames.end() ? 0 : static_cast<std::size_t>(caller - frames.begin())));
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace heddle::base
