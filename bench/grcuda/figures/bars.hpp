// Charts of grouped bars, as SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::bench::grcuda {

struct Series {
  std::string name, colour;                   // "P100", "#76b7b2"
  std::vector<std::optional<double>> values;  // one for each group; nothing: no bar
};

// One chart: groups side by side, a bar for each series in each, a line where a value is `level`. Names of many groups
// are written upwards; values are written where the bars are wide enough.
struct Chart {
  std::string title;
  std::vector<std::string> groups;
  std::vector<Series> series;
  double level = 1;
};

// The charts one below the other, readable on light and dark pages.
std::string svg(const std::vector<Chart>& charts);

}  // namespace heddle::bench::grcuda
