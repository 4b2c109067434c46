// Traces as text, for tests: what a trace file with some commands looks like.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "trace/timeline.hpp"

namespace heddle::trace {

// Times in microseconds.
inline std::string event(const char* category, const std::string& name, int queue, double begin, double length,
                         const std::string& details = {}) {
  return fmt::format(R"({{"name":"{}","cat":"{}","ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", name,
                     category, queue, begin, length, details);
}
inline std::string launch(const std::string& name, int queue, double begin, double length,
                          const std::string& details = {}) {
  return event("launch", name, queue, begin, length, details);
}
inline std::string copy(int queue, double begin, double length, const std::string& details = {}) {
  return event("copy", "copy to device", queue, begin, length,
               R"("kind":"copy to device","bytes":4096)" + (details.empty() ? "" : "," + details));
}

inline Timeline timeline(const std::vector<std::string>& events) {
  std::string text = R"([{"name":"process_name","ph":"M","pid":1,"args":{"name":"cpu"}},)"
                     R"({"name":"process_labels","ph":"M","pid":1,"args":{"labels":"A <fine> device"}})";
  for (const std::string& event : events) text += ",\n" + event;
  return parse_timeline(text + "]", "test.json");
}

}  // namespace heddle::trace
