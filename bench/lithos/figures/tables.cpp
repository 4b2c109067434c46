#include "tables.hpp"

#include <fmt/format.h>

#include <vector>

#include "bars.hpp"
#include "base/table.hpp"

namespace heddle::bench::lithos {
namespace {

using base::Align;

// A policy, and what the paper reports of it; "-" where it says nothing.
struct Row {
  const char *policy, *hybrid_p99, *attainment, *throughput;
};
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"lithos", "1.19", "100 %", "1.00"}, {"tgs", "1.41", "84 %", "-"},     {"orion", "-", "-", "-"},
      {"reef", "2.89", "-", "-"},          {"priority", "2.89", "-", "-"},   {"mps-like", "5.83", "45 %", "1.11"},
      {"timeslice", "-", "-", "-"},        {"static", "-", "meets", "0.58"}, {"static:9", "-", "meets", "0.71"}};
  return all;
}

std::string number(const grcuda::Figures& figures, const std::string& name, const char* unit = "") {
  const auto value = figures.value(name);
  return value ? fmt::format("{:.2f}{}", *value, unit) : "-";
}

std::string hybrid(const grcuda::Figures& figures) {
  base::Table table({{"serving and training, 30 pairs"},
                     {"paper: P99 over alone", Align::right},
                     {"Heddle: P99 over alone", Align::right},
                     {"worst pair", Align::right},
                     {"training over alone", Align::right},
                     {"throughput", Align::right}});
  for (const Row& row : rows()) {
    const std::string name = std::string("hybrid, ") + row.policy + ", ";
    if (!figures.value(name + "throughput")) continue;
    table.add_row({row.policy, row.hybrid_p99, number(figures, name + "P99 over alone"),
                   number(figures, name + "worst P99 over alone"),
                   number(figures, name + "rate of training over alone"), number(figures, name + "throughput")});
  }
  for (const auto& [policy, paper] : {std::pair("lithos:atoms=off", "1.38"), std::pair("lithos:steal=off", "-")}) {
    const std::string name = std::string("hybrid, ") + policy + ", ";
    table.add_row({policy, paper, number(figures, name + "P99 over alone"),
                   number(figures, name + "worst P99 over alone"),
                   number(figures, name + "rate of training over alone"), number(figures, name + "throughput")});
  }
  return table.markdown();
}

std::string inference(const grcuda::Figures& figures) {
  base::Table table({{"three tenants, 15 combinations"},
                     {"paper: SLO attainment", Align::right},
                     {"throughput", Align::right},
                     {"Heddle: SLO attainment", Align::right},
                     {"throughput", Align::right},
                     {"P99 of the first over alone", Align::right},
                     {"second over alone", Align::right},
                     {"batch over alone", Align::right}});
  for (const Row& row : rows()) {
    const std::string name = std::string("inference, ") + row.policy + ", ";
    table.add_row({row.policy, row.attainment, row.throughput, number(figures, name + "SLO attainment", " %"),
                   number(figures, name + "throughput"), number(figures, name + "P99 over alone"),
                   number(figures, name + "rate of the second over alone"),
                   number(figures, name + "rate of the batch tenant over alone")});
  }
  return table.markdown();
}

std::string eight(const grcuda::Figures& figures) {
  base::Table table({{"eight tenants"},
                     {"mean P99 over alone", Align::right},
                     {"SLO attainment", Align::right},
                     {"batch over alone, sum", Align::right}});
  for (const Row& row : rows()) {
    const std::string name = std::string("eight tenants, ") + row.policy + ", ";
    if (!figures.value(name + "P99 over alone")) continue;
    table.add_row({row.policy, number(figures, name + "P99 over alone"), number(figures, name + "SLO attainment", " %"),
                   number(figures, name + "batch over alone")});
  }
  return table.markdown();
}

std::string others(const grcuda::Figures& figures) {
  base::Table table({{"what"}, {"paper", Align::right}, {"bar", Align::right}, {"Heddle", Align::right}});
  const auto add = [&](const char* what, const char* paper, const char* bar, const char* unit = "") {
    table.add_row({what, paper, bar, number(figures, what, unit)});
  };
  add("hybrid, throughput of lithos over the best baseline with P99 <= 1.5x", "1.35", ">= 1.3");
  add("alone, time under lithos over bare", "1.04", "<= 1.04");
  add("throttle of 100 us, rate over unthrottled", "-", ">= 0.95");
  add("right-sizing at slip 1.1, units saved", "26 %", ">= 26 %", " %");
  add("right-sizing at slip 1.1, time", "1.04", "<= 1.04");
  add("frequency governor at slip 1.1, energy saved (power model)", "26 %", "-", " %");
  add("frequency governor at slip 1.1, time", "1.07", "<= 1.1");
  add("predictor, misses of latency tenants", "0.38 %", "<= 1 %", " %");
  add("predictor, misses of batch tenants", "11 %", "<= 10 %", " %");
  add("eight tenants, lithos, equal results of two runs", "-", ">= 1");
  return table.markdown();
}

}  // namespace

std::string tables(const grcuda::Figures& figures) {
  if (figures.empty()) return "Not measured yet.\n";
  return fmt::format("Computed on: {}; commit {}.\n\n{}\n{}\n{}\n{}", figures.machine(), figures.commit(),
                     hybrid(figures), inference(figures), eight(figures), others(figures));
}

std::string chart(const grcuda::Figures& figures) {
  grcuda::Chart p99{"P99 of serving beside a training, over alone (mean of 30 pairs)", {}, {}, 1};
  grcuda::Chart work{"Throughput: 1 is as much as one tenant does alone", {}, {}, 1};
  const std::pair<const char*, double> paper[] = {{"lithos", 1.19}, {"tgs", 1.41},      {"orion", 0},
                                                  {"reef", 2.89},   {"priority", 2.89}, {"mps-like", 5.83}};
  grcuda::Series theirs{"paper", "#bab0ac", {}}, ours{"Heddle", "#4e79a7", {}}, total{"Heddle", "#4e79a7", {}};
  for (const auto& [policy, value] : paper) {
    p99.groups.push_back(policy);
    theirs.values.push_back(value > 0 ? std::optional(value) : std::nullopt);
    auto measured = figures.value(std::string("hybrid, ") + policy + ", P99 over alone");
    if (measured) *measured = std::min(*measured, 10.0);
    ours.values.push_back(measured);
    work.groups.push_back(policy);
    total.values.push_back(figures.value(std::string("hybrid, ") + policy + ", throughput"));
  }
  p99.title += ", cut at 10";
  p99.series = {theirs, ours};
  work.series = {total};
  return grcuda::svg({p99, work});
}

}  // namespace heddle::bench::lithos
