#include "bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/xml_text.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr double width = 900, height = 330, left = 50, right = 20, top = 60, bottom = 40;
constexpr double narrow_group = 60, narrow_bar = 12;  // pixels
constexpr double tilted = 60;                         // below the base, for names of narrow groups

bool is_narrow(const Chart& chart) {
  return (width - left - right) / static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1)) < narrow_group;
}
double height_of(const Chart& chart) { return height + (is_narrow(chart) ? tilted : 0); }

std::string text_at(double x, double y, const std::string& text, const char* anchor, int size) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y, anchor,
                     size, base::xml(text));
}
// From the base downwards, for a head that is tilted to the right.
std::string upwards(double x, double y, const std::string& text) {
  return fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"end\" font-size=\"11\" transform=\"rotate(-60 {0:.1f} "
      "{1:.1f})\">{2}</text>\n",
      x + 4, y + 4, base::xml(text));
}
std::string line(double y, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", left, y, width - right, y,
                     style);
}

class Drawing {
 public:
  Drawing(const Chart& chart, double from_top) : chart_(chart), base_(from_top + height - bottom) {
    double most = chart.level;
    for (const Series& series : chart.series)
      for (const auto& value : series.values) most = std::max(most, value.value_or(0));
    step_ = most <= 3 ? 0.5 : std::ceil(most / 6);
    most_ = std::ceil(most * 1.02 / step_) * step_;
    text_ = text_at(left, from_top + 20, chart.title, "start", 15);
    legend(from_top + 40);
  }

  std::string draw() {
    for (double value = 0; value <= most_ + step_ / 2; value += step_) {
      text_ += line(y(value), "stroke=\"#888\" stroke-opacity=\"0.3\"");
      text_ += text_at(left - 6, y(value) + 4, fmt::format("{:g}", value), "end", 11);
    }
    for (std::size_t group = 0; group < chart_.groups.size(); ++group) draw_group(group);
    return text_ + line(y(chart_.level), "stroke=\"#888\" stroke-dasharray=\"5 4\"");
  }

 private:
  double y(double value) const { return base_ - value / most_ * (height - top - bottom); }

  void legend(double at) {
    double x = left;
    for (const Series& series : chart_.series) {
      text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, at - 10,
                           series.colour);
      text_ += text_at(x + 17, at, series.name, "start", 12);
      x += 35 + 7.0 * static_cast<double>(series.name.size());
    }
  }

  void draw_group(std::size_t group) {
    const auto groups = static_cast<double>(chart_.groups.size()), bars = static_cast<double>(chart_.series.size());
    const double room = (width - left - right) / groups, bar = room * 0.84 / bars;
    const double begin = left + room * (static_cast<double>(group) + 0.08);
    text_ += is_narrow(chart_) ? upwards(begin + room * 0.42, base_ + 6, chart_.groups[group])
                               : text_at(begin + room * 0.42, base_ + 18, chart_.groups[group], "middle", 13);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const Series& series = chart_.series[i];
      if (group >= series.values.size() || !series.values[group]) continue;
      const double value = *series.values[group], x = begin + bar * static_cast<double>(i);
      text_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: "
          "{:.3g}</title></rect>\n",
          x, y(value), bar - 1, base_ - y(value), series.colour, base::xml(series.name), value);
      if (bar >= narrow_bar) text_ += text_at(x + bar / 2, y(value) - 3, fmt::format("{:.2f}", value), "middle", 9);
    }
  }

  const Chart& chart_;
  double base_, step_ = 1, most_ = 1;
  std::string text_;
};

}  // namespace

std::string svg(const std::vector<Chart>& charts) {
  double all = 0;
  for (const Chart& chart : charts) all += height_of(chart);
  std::string made = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "font-family=\"sans-serif\">\n<style>text {{ fill: #333 }} @media (prefers-color-scheme: dark) {{ text {{ fill: "
      "#ccc "
      "}} }}</style>\n",
      width, all);
  double from_top = 0;
  for (const Chart& chart : charts) {
    made += Drawing(chart, from_top).draw();
    from_top += height_of(chart);
  }
  return made + "</svg>\n";
}

}  // namespace heddle::bench::grcuda
