#include "base/memory_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

namespace heddle::base {

std::string memory_limit_note() {
  constexpr double mib = 1 << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return fmt::format("; the limit of this process (ulimit -v) is {:.0f} MiB",
                     static_cast<double>(limit.rlim_cur) / mib);
}

bool is_no_memory(const std::error_code& code) {
  return code == std::errc::not_enough_memory || code == std::errc::resource_unavailable_try_again;
}

bool says_no_memory(const std::string& message) {
  if (message.find("static TLS") != message.npos) return false;  // a limit of the loader's own
  for (const char* words : {"Cannot allocate memory", "cannot allocate memory", "failed to map segment",
                            "cannot create shared object descriptor", "cannot allocate name record",
                            "cannot map zero-fill pages", "cannot allocate TLS data structures"})
    if (message.find(words) != message.npos) return true;
  return false;
}

}  // namespace heddle::base
