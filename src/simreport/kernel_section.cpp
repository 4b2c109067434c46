#include "simreport/kernel_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "simreport/figures.hpp"
#include "simreport/svg.hpp"

namespace heddle::simreport {
namespace {

constexpr std::size_t most_sms = 132;
constexpr double most_marks = 8;

// Marks of an axis of cycles: round numbers. `column` says where a cycle is.
template <class Column>
std::vector<std::pair<double, std::string>> cycle_marks(double from, double to, const Column& column) {
  std::vector<std::pair<double, std::string>> all;
  if (to <= from) return all;
  const double least = std::max((to - from) / most_marks, 1.0), power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double factor : {5, 2, 1})
    if (factor * power >= least) step = factor * power;
  for (double cycle = std::ceil(from / step) * step; cycle <= to; cycle += step)
    all.emplace_back(column(cycle), base::format_count(static_cast<std::uint64_t>(cycle)));
  return all;
}

std::vector<Layer> use_layers(const std::vector<std::string>& names) {
  std::vector<Layer> layers;
  for (const std::string& name : names) layers.push_back({name, use_colour(name), {}});
  return layers;
}

std::string over_time(const Series& series, const std::vector<std::vector<double>>& values, std::vector<Layer> layers,
                      const char* label) {
  Stack stack{.label = label, .x_name = "cycles since the launch"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < layers.size(); ++k) layers[k].values.push_back(values[i].at(k));
    stack.titles.push_back(fmt::format("from cycle {:.0f} on", static_cast<double>(i) * series.interval));
  }
  stack.layers = layers;
  stack.x_marks = cycle_marks(0, static_cast<double>(values.size()) * series.interval,
                              [&](double cycle) { return cycle / series.interval; });
  return legend(layers) + stack_svg(stack);
}

// The cycles of a line as a bar, longest for the hottest line.
std::string bar(const Machine& machine, const Line& line, double most) {
  std::string parts;
  double x = 0;
  std::string title;
  for (std::size_t i = 0; i < line.cycles.size(); ++i) {
    if (line.cycles[i] == 0) continue;
    const double wide = 160 * line.cycles[i] / std::max(most, 1.0);
    parts += fmt::format("<rect x=\"{:.2f}\" y=\"1\" width=\"{:.2f}\" height=\"12\" fill=\"{}\"/>", x, wide,
                         use_colour(machine.warp_uses.at(i)));
    title += fmt::format("{} {:.1f} %\n", machine.warp_uses[i], 100 * line.cycles[i] / line.all_cycles());
    x += wide;
  }
  return "<svg width=\"160\" height=\"14\" viewBox=\"0 0 160 14\"><title>" + xml(title) + "</title>" + parts + "</svg>";
}

std::string lines_table(const Machine& machine, const std::vector<Line>& lines, const char* place) {
  double all = 0, most = 0;
  for (const Line& line : lines) {
    all += line.all_cycles();
    most = std::max(most, line.all_cycles());
  }
  std::string text = fmt::format(
      "<table class=\"lines\"><thead><tr><th>%</th><th>cycles of warps</th><th></th><th>issues</th><th>lanes</th>"
      "<th>{}</th><th>text</th></tr></thead><tbody>\n",
      place);
  for (const Line& line : lines) {
    const double part = all == 0 ? 0 : line.all_cycles() / all;
    text += fmt::format(
        "<tr{}><td>{:.1f}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{}</td><td><code>{}</code></td></"
        "tr>\n",
        part >= 0.1 ? " class=\"hot\"" : "", 100 * part,
        base::format_count(static_cast<std::uint64_t>(line.all_cycles())), bar(machine, line, most),
        base::format_count(static_cast<std::uint64_t>(line.issues)), line.issues == 0 ? 0 : line.lanes / line.issues,
        xml(line.place), xml(line.text));
  }
  return text + "</tbody></table>\n";
}

}  // namespace

std::string stalls_by_sm(const Machine& machine, const Launch& launch) {
  std::vector<Layer> layers = use_layers(machine.slot_uses);
  Stack stack{.label = "what schedulers of each SM did", .x_name = "SM"};
  for (std::size_t i = 0; i < std::min(launch.by_sm.size(), most_sms); ++i) {
    for (std::size_t k = 0; k < layers.size(); ++k) layers[k].values.push_back(launch.by_sm[i].uses.at(k));
    stack.titles.push_back("SM " + std::to_string(i));
    if (i % std::max<std::size_t>(launch.by_sm.size() / 16, 1) == 0)
      stack.x_marks.emplace_back(static_cast<double>(i) + 0.5, std::to_string(i));
  }
  stack.layers = layers;
  return legend(layers) + stack_svg(stack);
}

std::string lanes_over_time(const Machine& machine, const Launch& launch) {
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < machine.lane_buckets.size(); ++i)
    layers.push_back({machine.lane_buckets[i], lane_colour(i, machine.lane_buckets.size()), {}});
  return over_time(launch.series, launch.series.lanes, layers, "active lanes over time");
}

std::string uses_over_time(const Machine& machine, const Launch& launch) {
  return over_time(launch.series, launch.series.uses, use_layers(machine.slot_uses), "slots over time");
}

std::string dram_over_time(const Machine& machine, const Launch& launch) {
  const auto& samples = launch.series.memory;
  if (samples.size() < 2 || machine.dram_bytes_per_s == 0) return {};
  const double peak = machine.dram_bytes_per_s / (machine.sm_mhz * 1e6);  // bytes a cycle
  Layer used{"DRAM bandwidth used", "#c4483c", {}}, rest{"not used", "#eef0f2", {}};
  Stack stack{.label = "DRAM bandwidth over time", .x_name = "cycles since the launch", .height = 110};
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double cycles = samples[i][0] - samples[i - 1][0];
    const double part = cycles == 0 ? 0 : std::min((samples[i][1] - samples[i - 1][1]) / cycles / peak, 1.0);
    used.values.push_back(part);
    rest.values.push_back(1 - part);
    stack.titles.push_back(fmt::format("to cycle {:.0f}", samples[i][0]));
  }
  stack.x_marks = cycle_marks(samples.front()[0], samples.back()[0], [&](double cycle) {
    std::size_t i = 1;
    while (i + 1 < samples.size() && samples[i][0] < cycle) ++i;
    const double begin = samples[i - 1][0], length = std::max(samples[i][0] - begin, 1.0);
    return static_cast<double>(i - 1) + (cycle - begin) / length;
  });
  stack.layers = {used, rest};
  return stack_svg(stack);
}

std::string hot_lines(const Machine& machine, const Launch& launch) {
  std::string text = legend(use_layers(machine.warp_uses));
  if (launch.source.empty()) return text + lines_table(machine, launch.ptx, "PTX line");
  return text + lines_table(machine, launch.source, "line") + "<details><summary>PTX</summary>\n" +
         lines_table(machine, launch.ptx, "PTX line") + "</details>\n";
}

}  // namespace heddle::simreport
