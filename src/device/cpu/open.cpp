#include "device/cpu/open.hpp"

#include <dlfcn.h>

#include <string>

#include "base/fail.hpp"
#include "base/memory_limit.hpp"
#include "base/system_limits.hpp"
#include "device/cpu/entry.hpp"

namespace heddle::device::cpu {
namespace {

#ifdef HEDDLE_CPU_LIBRARY
constexpr const char* library_file = HEDDLE_CPU_LIBRARY;
#else
constexpr const char* library_file = library_name;  // found through DT_RUNPATH of what this is a part of
#endif

Entry find_entry() {
  // Lazily: of LLVM's many functions a kernel that is in the cache needs few.
  void* const library = ::dlopen(library_file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = ::dlerror();
    if (base::says_no_descriptors(why))
      base::fail(ErrorCode::io_error,
                 "the CPU device's library, {}, cannot be opened: the process has no file "
                 "descriptors left{}",
                 library_name, base::descriptor_limit_note());
    if (why.starts_with(std::string(library_file) + ": cannot open shared object file")) {
      base::fail(
          ErrorCode::not_found,
          "there is no CPU device: its library, {}, is not in the folder lib/heddle where Heddle's own libraries are",
          library_name);
    }
    if (base::says_no_memory(why))
      base::fail(ErrorCode::out_of_memory, "there is no memory to load the CPU device's library{}",
                 base::memory_limit_note());
    base::fail(ErrorCode::unsupported, "the CPU device's library cannot be opened: {}", why);
  }
  const auto found = reinterpret_cast<Entry>(::dlsym(library, entry_name));
  if (found == nullptr) {
    base::fail(ErrorCode::unsupported,
               "the {} that was found is not of Heddle {}, which asks for it; install both of one version",
               library_name, HEDDLE_VERSION);
  }
  return found;
}

}  // namespace

std::unique_ptr<Device> open_cpu_device(const CpuOptions& options) {
  static const Entry entry = find_entry();  // after a failure the next call looks again
  return entry(options);
}

}  // namespace heddle::device::cpu
