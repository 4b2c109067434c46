#include "support/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "base/format.hpp"

namespace heddle::bench {
namespace {

std::string processor_name() {
  std::istringstream lines(base::read_file_if_there("/proc/cpuinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

int cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

std::string machine_text() {
  const auto memory =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return fmt::format("{}, {} cores, {}", processor_name(), cores(), base::format_bytes(memory));
}

std::string commit_text() {
  const char* commit = std::getenv("HEDDLE_COMMIT");
  return commit != nullptr && *commit != '\0' ? commit : "unknown";
}

}  // namespace heddle::bench
