#include "base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <optional>
#include <string_view>

namespace heddle::base {
namespace {

constexpr const char* logger_name = "heddle";

// $HEDDLE_LOG; nothing when it is no level.
std::optional<spdlog::level::level_enum> level_from_environment() {
  const char* text = std::getenv("HEDDLE_LOG");
  if (text == nullptr || *text == '\0') return spdlog::level::warn;
  const std::string_view level = text;
  if (level == "warn") return spdlog::level::warn;
  for (int i = 0; i < spdlog::level::n_levels; ++i) {
    const auto candidate = static_cast<spdlog::level::level_enum>(i);
    const auto full = spdlog::level::to_string_view(candidate);
    if (level == std::string_view(full.data(), full.size())) return candidate;
  }
  return std::nullopt;
}

std::shared_ptr<spdlog::logger> make_logger() {
  auto made = std::make_shared<spdlog::logger>(logger_name, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  const auto level = level_from_environment();
  made->set_level(level.value_or(spdlog::level::warn));
  made->set_pattern("heddle %l: %v");
  if (!level) {
    made->warn("HEDDLE_LOG={} is no level: trace, debug, info, warning, error, critical or off",
               std::getenv("HEDDLE_LOG"));
  }
  return made;
}

}  // namespace

std::shared_ptr<spdlog::logger> logger() {
  if (auto found = spdlog::get(logger_name)) return found;
  auto made = make_logger();
  try {
    spdlog::register_logger(made);
  } catch (const spdlog::spdlog_ex&) {  // another thread was first
    if (auto found = spdlog::get(logger_name)) return found;
  }
  return made;
}

void log_warn_once(const std::string& text) {
  // spdlog's registry is the one thing here that is the process's. A name in it stands for what has been said.
  try {
    spdlog::register_logger(std::make_shared<spdlog::logger>("heddle has said: " + text));
  } catch (const spdlog::spdlog_ex&) {
    return;
  }
  log_warn("{}", text);
}

}  // namespace heddle::base
