#include "device/cuda/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/file.hpp"

namespace heddle::device::cuda {
namespace {

constexpr const char* name = "libcuda.so.1";

// Sanitizers end a process that uses RTLD_DEEPBIND.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool may_bind_deep = false;
#else
constexpr bool may_bind_deep = true;
#endif

bool is_heddles(void* library) { return dlsym(library, "heddle_own_libcuda") != nullptr; }

std::vector<std::string> other_places() {
  std::vector<std::string> files;
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  for (std::string_view rest = variable ? variable : ""; !rest.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (end > 0) files.push_back(std::string(rest.substr(0, end)) + '/' + name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (const auto cache = base::read_file_if_there("/etc/ld.so.cache")) {
    const std::vector<std::string> listed = listed_libraries(*cache, name);
    files.insert(files.end(), listed.begin(), listed.end());
  }
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
                             "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib"})
    files.push_back(std::string(folder) + '/' + name);
  return files;
}

template <class T>
T load(const std::string& bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::vector<std::string> listed_libraries(const std::string& cache, const std::string& wanted) {
  // As glibc has written it since 2.2, alone since 2.32 and behind an older form before.
  constexpr std::string_view magic = "glibc-ld.so.cache1.1";
  constexpr std::size_t header_bytes = 48, entry_bytes = 24;
  const std::size_t begin = cache.find(magic);
  std::vector<std::string> found;
  if (begin == cache.npos) return found;
  const auto count = load<std::uint32_t>(cache, begin + magic.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = begin + header_bytes + i * entry_bytes;
    if (entry + entry_bytes > cache.size()) break;
    const std::size_t key = begin + load<std::uint32_t>(cache, entry + 4);
    const std::size_t value = begin + load<std::uint32_t>(cache, entry + 8);
    if (key >= cache.size() || value >= cache.size()) break;
    if (wanted == cache.c_str() + key) found.emplace_back(cache.c_str() + value);
  }
  return found;
}

bool has_driver_and_gpu() {
  const auto exists = [](const std::string& file) {
    std::error_code error;
    return std::filesystem::exists(file, error);
  };
  if (!exists("/dev/nvidiactl") && !exists("/dev/dxg")) return false;  // /dev/dxg: in Windows' Linux
  const std::vector<std::string> places = other_places();
  return std::any_of(places.begin(), places.end(), exists);
}

namespace {

// Under `heddle run`, dlopen() gives Heddle's library for NVIDIA's path (src/cuda_api/open).
void* open_unchanged(const char* file, int mode) {
  auto* const unchanged = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_DEFAULT, "heddle_open_unchanged"));
  return unchanged ? unchanged(file, mode) : dlopen(file, mode);
}

}  // namespace

void* open_driver_library() {
  void* library = open_unchanged(name, RTLD_NOW | RTLD_LOCAL);
  if (!library || !is_heddles(library)) return library;
  if (!may_bind_deep) return nullptr;  // no GPUs for programs on Heddle's libcuda
  for (const std::string& file : other_places()) {
    // NVIDIA's must call its own functions, not those of the same names that are in the process already.
    void* const other = open_unchanged(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (other && !is_heddles(other)) return other;
  }
  return nullptr;
}

}  // namespace heddle::device::cuda
