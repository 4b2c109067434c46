// Log lines on stderr. HEDDLE_LOG sets the level (trace, debug, info, warn, error, off; default warn). The logger is in
// spdlog's registry under the name "heddle", so a program that uses spdlog can replace or silence it.
#pragma once

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace heddle::base {

// The logger named "heddle"; made on first use. Any thread.
std::shared_ptr<spdlog::logger> logger();

// A line for which there is no memory is lost: lines are written where errors are handled, that one too. Any thread.
template <typename... Args>
void log_line(spdlog::level::level_enum level, fmt::format_string<Args...> format, Args&&... args) noexcept {
  try {
    logger()->log(level, format, std::forward<Args>(args)...);
  } catch (const std::exception&) {
  }
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_line(spdlog::level::debug, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_line(spdlog::level::info, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_line(spdlog::level::warn, format, std::forward<Args>(args)...);
}
// Logs each text once in a process, even if the process has several copies of this code (libheddle.so,
// libheddle_cpu.so). Any thread.
void log_warn_once(const std::string& text) noexcept;
// The same of a text with a reason behind it. Without memory for both it says nothing.
void log_warn_once(const char* text, const char* reason) noexcept;
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_line(spdlog::level::err, format, std::forward<Args>(args)...);
}

}  // namespace heddle::base
