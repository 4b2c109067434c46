#include "doctor/doctor.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>

#include "base/cache_folder.hpp"
#include "compile/compile.hpp"
#include "doctor/checks.hpp"

namespace heddle::doctor {
namespace {

std::uint64_t limit_of(__rlimit_resource which) {
  rlimit limit{};
  return ::getrlimit(which, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

// A value of $HEDDLE_COMPILER that makes no sense is found with "CUDA C++".
bool nvrtc_is_chosen() {
  try {
    return compile::chosen_compiler({}) == compile::Compiler::nvrtc;
  } catch (const std::exception&) {
    return false;
  }
}

class Examination {
 public:
  explicit Examination(const std::function<void(const std::string&)>& before) : before_(before) {}

  // A check that throws all the same says so instead of ending the others.
  template <class Check>
  void add(const std::string& subject, Check&& check, bool essential = false) {
    if (before_) before_(subject);
    Finding finding;
    try {
      finding = check();
    } catch (const std::exception& error) {
      finding = {subject, Mark::wrong, error.what(), {}, false};
    }
    finding.essential = essential;
    report.findings.push_back(std::move(finding));
  }
  Report report;

 private:
  const std::function<void(const std::string&)>& before_;
};

}  // namespace

const char* name(Mark mark) {
  static constexpr const char* names[] = {"ok", "missing", "wrong", "not here"};
  return names[static_cast<int>(mark)];
}

Report examine(const std::function<void(const std::string&)>& before) {
  Examination all(before);
  all.add("CPU device", [] { return check_device("cpu", "CPU device"); }, true);
  all.add("interpreter", [] { return check_device("interp", "interpreter"); });
  all.add("cache", [] { return check_cache(base::cache_directory()); });
  const bool with_nvrtc = nvrtc_is_chosen();
  all.add("CUDA C++", check_compiler, !with_nvrtc);
  all.add("host code", check_host_compiler);

  NvidiaDriver driver;
  all.add("NVIDIA driver", [&] {
    driver = find_nvidia_driver();
    return check_nvidia_driver(driver);
  });
  for (const std::string& id : driver.gpus) all.add(id, [&] { return check_device(id, id); });
  all.add("shared GPUs", [&] {
    const char* path = std::getenv("PATH");
    const bool can_start = find_tool("nvidia-cuda-mps-control", nullptr, path != nullptr ? path : "").has_value();
    return check_sharing(find_mps(std::getenv("CUDA_MPS_PIPE_DIRECTORY"), "/proc"), !driver.gpus.empty(), can_start);
  });
  all.add("ptxas", check_ptxas);
  all.add("nvrtc", [&] { return check_nvrtc(with_nvrtc); }, with_nvrtc);

  all.add("locked memory", [&] { return check_locked_memory(limit_of(RLIMIT_MEMLOCK), !driver.gpus.empty()); });
  all.add("stack", [] { return check_stack(limit_of(RLIMIT_STACK)); });
  all.add("open files", [] { return check_descriptors(limit_of(RLIMIT_NOFILE)); });
  all.add("threads",
          [] { return check_threads(find_thread_limits(), std::max(1u, std::thread::hardware_concurrency())); });
  all.add("environment", [] { return check_environment(environment()); });
  all.report.works = std::all_of(all.report.findings.begin(), all.report.findings.end(),
                                 [](const Finding& finding) { return !finding.essential || finding.mark == Mark::ok; });
  return std::move(all.report);
}

}  // namespace heddle::doctor
