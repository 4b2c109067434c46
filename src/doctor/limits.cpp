// What the system allows the process.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.hpp"
#include "base/format.hpp"
#include "base/system_limits.hpp"
#include "doctor/checks.hpp"

namespace heddle::doctor {
namespace {

constexpr std::uint64_t none = RLIM_INFINITY, few_locked_bytes = 1 << 20, few_files = 256, spare_threads = 64,
                        small_stack_bytes = 1 << 20;

std::string bytes_text(std::uint64_t limit) { return limit == none ? "no limit" : base::format_bytes(limit); }
std::string count_text(std::uint64_t limit) { return limit == none ? "no limit" : base::format_count(limit); }

// The number in a file of the system; `none` where it is not there or says "max".
std::uint64_t number_in(const std::filesystem::path& file) {
  const auto text = base::read_file_if_there(file);
  if (!text || text->empty() || !std::isdigit(static_cast<unsigned char>(text->front()))) return none;
  return std::strtoull(text->c_str(), nullptr, 10);
}

// The least pids.max of the process's control group and those around it (version 2).
std::uint64_t group_limit() {
  const auto text = base::read_file_if_there("/proc/self/cgroup");
  if (!text || !text->starts_with("0::")) return none;
  std::string group = text->substr(3, text->find('\n') - 3);
  std::uint64_t least = none;
  for (;;) {
    least = std::min(least, number_in(std::filesystem::path("/sys/fs/cgroup" + group) / "pids.max"));
    if (group.empty() || group == "/") return least;
    group.erase(group.rfind('/'));
  }
}

}  // namespace

Finding check_locked_memory(std::uint64_t limit, bool has_gpu) {
  if (has_gpu && limit < few_locked_bytes)
    return {"locked memory", Mark::wrong,
            fmt::format("the limit is {}; drivers that count the memory they share with a GPU may refuse to.",
                        bytes_text(limit)),
            "Raise it: ulimit -l unlimited, or memlock in /etc/security/limits.conf.", false};
  return good("locked memory", bytes_text(limit));
}

Finding check_descriptors(std::uint64_t limit) {
  if (limit < few_files)
    return {"open files", Mark::wrong, fmt::format("only {} files may be open at once.", limit),
            fmt::format("Raise it: ulimit -n {}.", 4 * few_files), false};
  return good("open files", count_text(limit) + " at once");
}

Finding check_stack(std::uint64_t limit) {
  if (limit < small_stack_bytes)
    return {"stack", Mark::wrong, fmt::format("only {}; compilers of CUDA C++ crash.", bytes_text(limit)),
            fmt::format("Raise it: ulimit -s {}.", base::usual_stack_bytes / 1024), false};
  return good("stack", bytes_text(limit));
}

ThreadLimits find_thread_limits() {
  rlimit user{};
  ThreadLimits limits{none, group_limit(), number_in("/proc/sys/kernel/threads-max")};
  if (::getrlimit(RLIMIT_NPROC, &user) == 0) limits.user = user.rlim_cur;
  return limits;
}

Finding check_threads(const ThreadLimits& limits, unsigned workers) {
  const std::uint64_t least = std::min({limits.user, limits.group, limits.system});
  if (least >= workers + spare_threads)
    return good("threads", fmt::format("{} (the CPU device wants {})", count_text(least), workers));
  const char* mend = least == limits.user    ? "Raise it: ulimit -u."
                     : least == limits.group ? "Raise pids.max of the control group (docker run --pids-limit)."
                                             : "Raise /proc/sys/kernel/threads-max.";
  return {"threads", Mark::wrong,
          fmt::format("only {} may run, and the CPU device wants {} and a few more.", least, workers),
          fmt::format("{} Or set HEDDLE_CPU_WORKERS to fewer.", mend), false};
}

}  // namespace heddle::doctor
