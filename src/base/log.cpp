#include "base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <string>

#include "base/thread_safety.hpp"
#include "base/variables.hpp"
#include "heddle/error.hpp"

namespace heddle::base {
namespace {

constexpr const char* logger_name = "heddle";

// $HEDDLE_LOG. A bad value is no reason to stop: `complaint` says so.
spdlog::level::level_enum level_from_environment(std::string& complaint) {
  try {
    const std::string level = text_variable("HEDDLE_LOG").value_or("warning");
    return level == "warn" ? spdlog::level::warn : spdlog::level::from_str(level);
  } catch (const Error& error) {
    complaint = error.what();
    return spdlog::level::warn;
  }
}

std::shared_ptr<spdlog::logger> make_logger() {
  auto made = std::make_shared<spdlog::logger>(logger_name, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  std::string complaint;
  made->set_level(level_from_environment(complaint));
  made->set_pattern("heddle %l: %v");
  if (!complaint.empty()) made->warn("{}", complaint);
  return made;
}

// Threads may log when the process ends and spdlog's registry no longer exists.
struct End {
  struct Kept {
    Mutex mutex;
    std::shared_ptr<spdlog::logger> logger HEDDLE_GUARDED_BY(mutex);
    bool ended HEDDLE_GUARDED_BY(mutex) = false;
  };
  // Never destroyed.
  static Kept& kept() {
    static Kept* const made = new Kept;
    return *made;
  }
  ~End() {
    const Lock lock(kept().mutex);
    kept().ended = true;
  }
};

// From the registry, in which a program may have put another one.
std::shared_ptr<spdlog::logger> registered_logger() {
  if (auto found = spdlog::get(logger_name)) return found;
  auto made = make_logger();
  try {
    spdlog::register_logger(made);
  } catch (const spdlog::spdlog_ex&) {  // another thread was first
    if (auto found = spdlog::get(logger_name)) return found;
  }
  return made;
}

}  // namespace

std::shared_ptr<spdlog::logger> logger() {
  End::Kept& kept = End::kept();
  const Lock lock(kept.mutex);
  if (kept.ended) return kept.logger;
  auto found = registered_logger();
  static const End end;  // made after the registry, and so destroyed before it
  if (kept.logger != found) kept.logger = found;
  return found;
}

void log_warn_once(const std::string& text) noexcept {
  // spdlog's registry is the one thing here that is the process's. A name in it stands for what has been said.
  try {
    spdlog::register_logger(std::make_shared<spdlog::logger>("heddle has said: " + text));
  } catch (const std::exception&) {  // it is there, or there is no memory
    return;
  }
  log_warn("{}", text);
}

void log_warn_once(const char* text, const char* reason) noexcept {
  try {
    log_warn_once(fmt::format("{}: {}", text, reason));
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace heddle::base
