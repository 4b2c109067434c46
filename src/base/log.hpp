// Log lines on stderr. HEDDLE_LOG sets the level (trace, debug, info, warn, error, off; default warn). The logger is in
// spdlog's registry under the name "heddle", so a program that uses spdlog can replace or silence it.
#pragma once

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <memory>
#include <string>
#include <utility>

namespace heddle::base {

// The logger named "heddle"; made on first use. Any thread.
std::shared_ptr<spdlog::logger> logger();

template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  logger()->debug(format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  logger()->info(format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... args) {
  logger()->warn(format, std::forward<Args>(args)...);
}
// Logs each text once in a process, even if the process has several copies of this code (libheddle.so,
// libheddle_cpu.so). Any thread.
void log_warn_once(const std::string& text);
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  logger()->error(format, std::forward<Args>(args)...);
}

}  // namespace heddle::base
