// Writes what was measured for Marrow's page. Usage: marrow_figures PAGE.md CHART.svg [RESULTS.json]
#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bars.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/table.hpp"

namespace {

using namespace heddle;

std::string table_of(const nlohmann::json& rows) {
  base::Table table({{"what"}, {"measured", base::Align::right}, {"bar"}, {"holds"}, {"against"}});
  for (const nlohmann::json& row : rows) {
    const std::string bar = row.contains("bar") && row["bar"].is_string() ? row["bar"].get<std::string>() : "";
    const bool judged = row.contains("holds") && row["holds"].is_boolean();
    table.add_row({row.at("name"), fmt::format("{:.4g} {}", row.at("value").get<double>(), row.value("unit", "")), bar,
                   !judged                    ? ""
                   : row["holds"].get<bool>() ? "yes"
                                              : "**no**",
                   row.contains("peer") && row["peer"].is_string() ? row["peer"].get<std::string>() : ""});
  }
  return table.markdown();
}

// The shares of the derivation experiment.
bench::grcuda::Chart derivation_chart(const nlohmann::json& rows) {
  bench::grcuda::Chart chart{.title = "GPU share of each image: derived, kept after 100 runs, best; %", .level = 100};
  chart.series = {{"derived", "#76b7b2", {}}, {"kept", "#f28e2b", {}}, {"best", "#4e79a7", {}}};
  const std::vector<std::string> endings{", derived share", ", share kept", ", best share"};
  for (const nlohmann::json& row : rows) {
    const std::string name = row.at("name");
    for (std::size_t i = 0; i < endings.size(); ++i) {
      if (!name.starts_with("image ") || !name.ends_with(endings[i])) continue;
      if (i == 0) chart.groups.push_back(name.substr(6, 1));
      chart.series[i].values.emplace_back(row.at("value").get<double>());
    }
  }
  return chart;
}

// The programs with the split that is found, against the others. No groups where nothing with GPUs was measured.
bench::grcuda::Chart programs_chart(const nlohmann::json& rows) {
  bench::grcuda::Chart chart{.title = "Speed with the split that is found, against others; times", .level = 1};
  chart.series = {{"GPUs only", "#76b7b2", {}}, {"CPUs only", "#f28e2b", {}}, {"half and half", "#4e79a7", {}}};
  for (const nlohmann::json& row : rows) {
    const std::string peer = row.contains("peer") && row["peer"].is_string() ? row["peer"].get<std::string>() : "";
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      if (row.value("unit", "") != "x" || !peer.starts_with(chart.series[i].name)) continue;
      if (i == 0) chart.groups.push_back(row.at("name").get<std::string>());
      chart.series[i].values.emplace_back(row.at("value").get<double>());
    }
  }
  return chart;
}

std::string chart_of(const nlohmann::json& rows) {
  std::vector<bench::grcuda::Chart> charts{derivation_chart(rows)};
  if (bench::grcuda::Chart programs = programs_chart(rows); !programs.groups.empty()) charts.push_back(programs);
  return bench::grcuda::svg(charts);
}

std::string with_figures(const std::string& page, const std::string& figures) {
  const std::string mark = "<!-- figures -->\n";
  const std::size_t begin = page.find(mark), end = page.find("<!-- end of figures -->");
  if (begin == page.npos || end == page.npos)
    base::fail(ErrorCode::invalid_argument, "the page has no <!-- figures --> and <!-- end of figures -->");
  return page.substr(0, begin + mark.size()) + "\n" + figures + "\n" + page.substr(end);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(stderr, "usage: {} PAGE.md CHART.svg RESULTS.json\n", arguments[0]);
    return 2;
  }
  try {
    const nlohmann::json rows = nlohmann::json::parse(base::read_file(arguments[3]));
    std::string text;
    if (!rows.empty())
      text = fmt::format("Measured on: {}.\n\n", rows[0].value("machine", "a machine that it does not name"));
    text += table_of(rows);
    base::write_file_atomic(arguments[1], std::string_view(with_figures(base::read_file(arguments[1]), text)));
    base::write_file_atomic(arguments[2], std::string_view(chart_of(rows)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
