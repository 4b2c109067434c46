#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bars.hpp"
#include "base/fail.hpp"
#include "base/table.hpp"
#include "paper.hpp"

namespace heddle::bench::grcuda {
namespace {

using base::Align;
using base::Table;

constexpr const char* nothing = "-";

std::string ratio(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : nothing; }
std::string percent(std::optional<double> value) { return value ? fmt::format("{:.0f}", *value) : nothing; }
std::string range(const Range& range) { return fmt::format("{:.2f}-{:.2f}", range.low, range.high); }
std::string range(const std::vector<double>& values) {
  if (values.empty()) return nothing;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{:.2f}-{:.2f}", *low, *high);
}

std::string over(const char* name, const char* what) { return fmt::format("{}, {}", name, what); }

std::string over_serial(const Figures& figures) {
  Table table({{"over serial"},
               {"paper: GTX 960", Align::right},
               {"GTX 1660 Super", Align::right},
               {"P100", Align::right},
               {"Heddle: mean", Align::right},
               {"lowest and highest", Align::right}});
  for (const Paper& p : paper())
    table.add_row({p.name, range(p.gtx960), range(p.gtx1660), range(p.p100),
                   ratio(figures.value(over(p.name, "over serial"))), range(figures.each(p.name, "over serial"))});
  table.add_row({"geometric mean (all: " + ratio(mean_all) + ")", ratio(mean_gtx960), nothing, ratio(mean_p100),
                 ratio(figures.value("all, over serial")), ""});
  return table.markdown();
}

std::string over_bare(const Figures& figures) {
  constexpr const char* forms[] = {"over streams", "over captured graph", "over built graph"};
  Table table({{"over"},
               {"paper: CUDA graphs, P100", Align::right},
               {"Heddle: streams and events", Align::right},
               {"captured graph", Align::right},
               {"built graph", Align::right}});
  const auto row = [&](const char* name, const std::string& title, const std::string& of_paper) {
    std::vector<std::string> cells = {title, of_paper};
    for (const char* form : forms) cells.push_back(ratio(figures.value(over(name, form))));
    table.add_row(cells);
  };
  for (const Paper& p : paper()) row(p.name, p.name, range(p.graphs_p100));
  row("all", "geometric mean", nothing);
  row("lowest of all", "lowest of all sizes and blocks", nothing);
  return table.markdown();
}

// Of the one size and block that was traced.
std::optional<double> traced(const Figures& figures, const char* name, const char* what) {
  const std::vector<double> found = figures.each(name, what);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::string overlaps(const Figures& figures) {
  Table table({{"per cent"},
               {"paper, P100: CT", Align::right},
               {"TC", Align::right},
               {"CC", Align::right},
               {"TOT", Align::right},
               {"Heddle: CT", Align::right},
               {"TC", Align::right},
               {"CC", Align::right},
               {"TOT", Align::right},
               {"serial", Align::right},
               {"copies / kernels", Align::right}});
  for (const Paper& p : paper()) {
    const Overlaps& o = p.overlaps_p100;
    std::vector<std::string> cells = {p.name, percent(o.ct), percent(o.tc), percent(o.cc), percent(o.tot)};
    for (const char* what : {"CT", "TC", "CC", "TOT", "largest overlap in serial mode"})
      cells.push_back(percent(traced(figures, p.name, what)));
    cells.push_back(ratio(traced(figures, p.name, "copies over kernels")));
    table.add_row(cells);
  }
  return table.markdown();
}

std::string bounds(const Figures& figures) {
  Table table({{"bound / measured"},
               {"paper: GTX 960", Align::right},
               {"GTX 1660 Super", Align::right},
               {"P100", Align::right},
               {"Heddle", Align::right}});
  for (const Paper& p : paper())
    table.add_row({p.name, ratio(p.bound_gtx960), ratio(p.bound_gtx1660), ratio(p.bound_p100),
                   ratio(traced(figures, p.name, "bound over traced time"))});
  return table.markdown();
}

Series series(const char* name, const char* colour) { return {name, colour, {}}; }

}  // namespace

Figures Figures::parse(std::string_view text) {
  const auto rows = nlohmann::json::parse(text, nullptr, false);
  if (!rows.is_array()) base::fail(ErrorCode::parse_error, "the results are no list of figures");
  Figures made;
  for (const auto& row : rows) {
    if (!row.is_object() || !row.contains("name") || !row.at("name").is_string() || !row.contains("value") ||
        !row.at("value").is_number())
      base::fail(ErrorCode::parse_error, "the results have a figure without a name or a value: {}", row.dump());
    made.all_.push_back({row.at("name"), row.at("value")});
    made.machine_ = row.value("machine", "");
    made.commit_ = row.value("commit", "");
  }
  return made;
}

std::optional<double> Figures::value(const std::string& name) const {
  for (const Figure& figure : all_)
    if (figure.name == name) return figure.value;
  return std::nullopt;
}

std::vector<double> Figures::each(const std::string& benchmark, const std::string& what) const {
  std::vector<double> found;
  for (const Figure& figure : all_)
    if (figure.name.starts_with(benchmark + ", ") && figure.name.find(", block ") != std::string::npos &&
        figure.name.ends_with(", " + what))
      found.push_back(figure.value);
  return found;
}

std::string tables(const Figures& figures) {
  const std::string source = figures.empty()
                                 ? "Not measured yet: `script/reproduce grcuda` on a machine with a GPU fills this in."
                                 : fmt::format("Measured on: {}; commit {}.", figures.machine(), figures.commit());
  return fmt::format("{}\n\n{}\n{}\n{}\n{}", source, over_serial(figures), over_bare(figures), overlaps(figures),
                     bounds(figures));
}

std::string chart(const Figures& figures) {
  Chart serial{"Time of serial execution over time of parallel execution", {}, {}};
  Chart bare{"Time of hand-written CUDA over Heddle's", {}, {}};
  serial.series = {series("GTX 960 (paper)", "#9fb8d0"), series("GTX 1660 Super (paper)", "#5f8fbf"),
                   series("P100 (paper)", "#2f5f8f"), series("Heddle", "#d9822b")};
  bare.series = {series("CUDA graphs, P100 (paper)", "#2f5f8f"), series("streams and events", "#f3c48c"),
                 series("captured graph", "#d9822b"), series("built graph", "#9c5a14")};
  for (const Paper& p : paper()) {
    serial.groups.emplace_back(p.name);
    bare.groups.emplace_back(p.name);
    const std::optional<double> first[] = {p.gtx960.middle(), p.gtx1660.middle(), p.p100.middle(),
                                           figures.value(over(p.name, "over serial"))};
    const std::optional<double> second[] = {p.graphs_p100.middle(), figures.value(over(p.name, "over streams")),
                                            figures.value(over(p.name, "over captured graph")),
                                            figures.value(over(p.name, "over built graph"))};
    for (std::size_t i = 0; i < 4; ++i) {
      serial.series[i].values.push_back(first[i]);
      bare.series[i].values.push_back(second[i]);
    }
  }
  return svg({serial, bare});
}

std::string with_tables(std::string_view page, const std::string& tables) {
  constexpr std::string_view first = "<!-- figures -->\n", last = "<!-- end of figures -->\n";
  const std::size_t begin = page.find(first), end = page.find(last);
  if (begin == page.npos || end == page.npos || end < begin)
    base::fail(ErrorCode::parse_error, "the page has no lines \"<!-- figures -->\" and \"<!-- end of figures -->\"");
  return std::string(page.substr(0, begin + first.size())) + "\n" + tables + "\n" + std::string(page.substr(end));
}

}  // namespace heddle::bench::grcuda
