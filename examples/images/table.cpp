#include "table.hpp"

#include <cstdio>

namespace images::table {
namespace {

template <typename... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

// How many times as fast as C++: "3.1x", or "1/250" where it is slower by far.
std::string ratio(double seconds, double reference_seconds) {
  if (seconds <= 0 || reference_seconds <= 0) return "-";
  const double times = reference_seconds / seconds;
  return times >= 0.095 ? text("%.1fx", times) : text("1/%.0f", 1 / times);
}

std::string figures(double seconds, double reference_seconds) {
  return text("%10.3f ms %10.3f ms %7s", seconds * 1e3, reference_seconds * 1e3,
              ratio(seconds, reference_seconds).c_str());
}

}  // namespace

std::string heading() {
  return text("%-19s %-38s %13s %13s %7s  %s\n", "kernel", "what it does", "time", "C++", "ratio", "result");
}

std::string row_start(const Step& step) { return text("%-19s %-38s ", step.kernel.c_str(), step.what.c_str()); }

std::string row_end(const Step& step) {
  return figures(step.seconds, step.reference_seconds) + "  " + step.check + "\n";
}

std::string total(const std::vector<Step>& steps) {
  double seconds = 0, reference_seconds = 0;
  for (const Step& step : steps) {
    seconds += step.seconds;
    reference_seconds += step.reference_seconds;
  }
  return text("%-19s %-38s ", "all", "") + figures(seconds, reference_seconds) + "\n";
}

}  // namespace images::table
