#include "base/system_limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "base/memory_limit.hpp"

namespace heddle::base {
namespace {

using Resource = decltype(RLIMIT_NOFILE);

std::optional<std::size_t> limit_of(Resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace

std::string descriptor_limit_note() {
  const auto limit = limit_of(RLIMIT_NOFILE);
  return limit ? fmt::format("; the limit of this process (ulimit -n) is {}", *limit) : std::string();
}

std::string thread_limit_note() {
  const auto limit = limit_of(RLIMIT_NPROC);
  return limit ? fmt::format("; the limit of this user's processes and threads (ulimit -u) is {}", *limit)
               : std::string();
}

std::optional<std::size_t> stack_limit() { return limit_of(RLIMIT_STACK); }

std::string stack_limit_note() {
  const auto limit = stack_limit();
  if (!limit || *limit >= usual_stack_bytes) return {};
  return fmt::format("; the limit of this process's stack (ulimit -s) is {} KiB", *limit / 1024);
}

std::string system_message(int error) {
  std::string text = std::strerror(error);
  if (error == EMFILE) text += descriptor_limit_note();
  if (error == ENOMEM) text += memory_limit_note();
  return text;
}

bool says_no_descriptors(const std::string& message) {
  // The loader's words without the system's texts, as in programs that are linked statically.
  static const std::string number = ": Error " + std::to_string(EMFILE);
  return message.find(std::strerror(EMFILE)) != message.npos || message.ends_with(number);
}

}  // namespace heddle::base
