#include "base/memory_limit.hpp"

#include <sys/resource.h>

#include <cstdio>

namespace heddle::base {
namespace {

using Resource = decltype(RLIMIT_AS);

// RLIM_INFINITY, which is the largest number: no limit.
rlim_t limit_of(Resource resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// A number and its unit. Limits are set in KiB: small ones are shown so.
struct Amount {
  explicit Amount(rlim_t bytes)
      : number(static_cast<double>(bytes) / (bytes < 10 << 20 ? 1 << 10 : 1 << 20)),
        unit(bytes < 10 << 20 ? "KiB" : "MiB") {}
  double number;
  const char* unit;
};

}  // namespace

std::string memory_limit_note() {
  char text[160];
  return memory_limit_note(text);
}

const char* memory_limit_note(std::span<char> text) noexcept {
  const rlim_t space = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);
  const Amount of_space(space), of_data(data);
  text[0] = '\0';
  if (data < space && space != RLIM_INFINITY) {
    std::snprintf(text.data(), text.size(),
                  "; the limits of this process are %.0f %s (ulimit -d) and %.0f %s (ulimit -v)", of_data.number,
                  of_data.unit, of_space.number, of_space.unit);
  } else if (data < space) {
    std::snprintf(text.data(), text.size(), "; the limit of this process (ulimit -d) is %.0f %s", of_data.number,
                  of_data.unit);
  } else if (space != RLIM_INFINITY) {  // data is a part of the address space
    std::snprintf(text.data(), text.size(), "; the limit of this process (ulimit -v) is %.0f %s", of_space.number,
                  of_space.unit);
  }
  return text.data();
}

bool names_memory_limit(std::string_view message) {
  return message.find("(ulimit -v)") != message.npos || message.find("(ulimit -d)") != message.npos;
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
