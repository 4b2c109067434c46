#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr const char* over_names[] = {"", "over serial", "over streams", "over captured graph", "over built graph"};

std::string name_of(const Row& row) {
  return row.block == 0 ? row.benchmark : fmt::format("{}, {}, block {}", row.benchmark, row.size, row.block);
}

std::vector<std::string> benchmarks_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (std::find(names.begin(), names.end(), row.benchmark) == names.end()) names.push_back(row.benchmark);
  return names;
}

// Ratios over one form, of all rows or of one benchmark's.
std::vector<double> ratios(const std::vector<Row>& rows, std::size_t form, const std::string& benchmark = {}) {
  std::vector<double> found;
  for (const Row& row : rows)
    if (row.measured.ratios.size() > form && (benchmark.empty() || row.benchmark == benchmark))
      found.push_back(row.measured.ratios[form]);
  return found;
}

std::string ratio_text(double value) { return fmt::format("{:.3f}", value); }

// What each benchmark must reach against a form, and all of them together.
struct Bars {
  std::optional<Bar> each, all;
};
Bars bars_over(std::size_t form) {
  switch (form) {
    case serial: return {at_least(1.0), at_least(1.44)};
    case streams: return {at_least(0.95), at_least(1.0)};
    default: return {{}, at_least(1.0)};
  }
}

std::string percent(double part) { return fmt::format("{:.0f}", 100 * part); }
std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

}  // namespace

std::string table(const std::vector<Row>& rows) {
  using base::Align;
  std::vector<base::Table::Column> columns = {{"benchmark"}, {"size"}, {"block", Align::right}};
  const std::size_t forms = rows.empty() ? 0 : rows[0].measured.seconds.size();
  for (std::size_t i = 0; i < forms; ++i) columns.push_back({std::string(form_names[i]) + " ms", Align::right});
  for (std::size_t i = 1; i < forms; ++i) columns.push_back({over_names[i], Align::right});
  columns.push_back({"rounds", Align::right});
  base::Table made(columns);
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.benchmark, row.size, std::to_string(row.block)};
    for (const double seconds : row.measured.seconds) cells.push_back(milliseconds(seconds));
    for (std::size_t i = 1; i < forms; ++i) cells.push_back(ratio_text(row.measured.ratios[i]));
    cells.push_back(std::to_string(row.measured.rounds) + (row.measured.wrong.empty() ? "" : " WRONG"));
    made.add_row(cells);
  }
  const auto mean_row = [&](const std::string& title, const std::string& benchmark) {
    std::vector<std::string> cells = {title, "mean", ""};
    cells.resize(3 + forms);
    for (std::size_t i = 1; i < forms; ++i) cells.push_back(ratio_text(geometric_mean(ratios(rows, i, benchmark))));
    made.add_row(cells);
  };
  for (const std::string& name : benchmarks_of(rows)) mean_row(name, name);
  if (!rows.empty()) mean_row("all", "");
  return made.text();
}

std::string table(const std::vector<Shown>& shown) {
  using base::Align;
  base::Table made({{"benchmark"},
                    {"size"},
                    {"block", Align::right},
                    {"CT %", Align::right},
                    {"TC %", Align::right},
                    {"CC %", Align::right},
                    {"TOT %", Align::right},
                    {"serial", Align::right},
                    {"copies / kernels", Align::right},
                    {"bound ms", Align::right},
                    {"of kernels ms", Align::right},
                    {"traced ms", Align::right},
                    {"bound / traced", Align::right}});
  for (const Shown& s : shown) {
    const base::Overlap& o = s.parallel;
    made.add_row(
        {s.benchmark, s.size, std::to_string(s.block), percent(o.ct), percent(o.tc), percent(o.cc), percent(o.tot),
         fmt::format("{:.3g} {:.3g} {:.3g} {:.3g}", s.serial.ct, s.serial.tc, s.serial.cc, s.serial.tot),
         ratio_text(s.serial.transfer_seconds / std::max(s.serial.kernel_seconds, 1e-12)), milliseconds(s.bound),
         milliseconds(s.bound_of_kernels), milliseconds(s.seconds), ratio_text(s.bound / s.seconds)});
  }
  return made.text();
}

void add_results(const std::vector<Row>& rows, bool bars, Results& results) {
  const auto bar = [&](const std::optional<Bar>& wanted) { return bars ? wanted : std::nullopt; };
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.measured.seconds.size(); ++i)
      results.add({fmt::format("{}, {}", name_of(row), form_names[i]), row.measured.seconds[i] * 1e3, "ms", {}, ""});
    for (std::size_t i = 1; i < row.measured.ratios.size(); ++i)
      results.add({fmt::format("{}, {}", name_of(row), over_names[i]), row.measured.ratios[i], "x", {}, form_names[i]});
  }
  for (std::size_t i = 1; i < std::size(over_names); ++i) {
    const std::vector<double> every = ratios(rows, i);
    if (every.empty()) continue;
    const Bars wanted = bars_over(i);
    for (const std::string& name : benchmarks_of(rows))
      results.add({fmt::format("{}, {}", name, over_names[i]), geometric_mean(ratios(rows, i, name)), "x",
                   bar(wanted.each), form_names[i]});
    results.add({fmt::format("lowest of all, {}", over_names[i]), *std::min_element(every.begin(), every.end()), "x",
                 bar(wanted.each), form_names[i]});
    results.add({fmt::format("all, {}", over_names[i]), geometric_mean(every), "x", bar(wanted.all), form_names[i]});
  }
}

void add_results(const std::vector<Shown>& shown, bool bars, Results& results) {
  for (const Shown& s : shown) {
    const std::string name = fmt::format("{}, {}, block {}", s.benchmark, s.size, s.block);
    const auto add = [&](const char* what, double value, const char* unit, std::optional<Bar> bar = {}) {
      results.add({fmt::format("{}, {}", name, what), value, unit, bars ? bar : std::nullopt, ""});
    };
    add("CT", 100 * s.parallel.ct, "%");
    add("TC", 100 * s.parallel.tc, "%");
    add("CC", 100 * s.parallel.cc, "%");
    add("TOT", 100 * s.parallel.tot, "%");
    // One of them is more than 0 when anything is; a GPU's clock has a grain of half a microsecond.
    add("largest overlap in serial mode", 100 * std::max({s.serial.ct, s.serial.tc, s.serial.cc, s.serial.tot}), "%",
        at_most(0.01));
    add("copies over kernels", s.serial.transfer_seconds / std::max(s.serial.kernel_seconds, 1e-12), "x");
    add("contention-free bound", s.bound * 1e3, "ms");
    add("contention-free bound of the kernels", s.bound_of_kernels * 1e3, "ms");
    add("bound over traced time", s.bound / s.seconds, "x");
  }
}

}  // namespace heddle::bench::grcuda
