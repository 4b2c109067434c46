#include "simreport/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace heddle::simreport {
namespace {

constexpr double width = 920, left = 56, right = 30, top = 10, bottom = 34;

struct Column {
  double x = 0, width = 0, all = 0;
};

std::string column_svg(const Stack& stack, std::size_t i, const Column& column) {
  std::string parts, title = stack.titles.at(i);
  double y = top + stack.height;
  for (const Layer& layer : stack.layers) {
    const double part = column.all == 0 ? 0 : layer.values[i] / column.all;
    if (part == 0) continue;
    y -= part * stack.height;
    parts += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>", column.x,
                         y, column.width, part * stack.height, layer.colour);
    title += fmt::format("\n{} {:.1f} %", layer.name, 100 * part);
  }
  return "<g><title>" + xml(title) + "</title>" + parts + "</g>\n";
}

}  // namespace

const char* use_colour(const std::string& use) {
  static constexpr std::array<std::pair<const char*, const char*>, 7> colours = {{{"issue", "#2f7d4f"},
                                                                                  {"pipeline", "#8fbf6a"},
                                                                                  {"memory", "#c4483c"},
                                                                                  {"result", "#e39c3d"},
                                                                                  {"control", "#7b5fa8"},
                                                                                  {"barrier", "#3f78b5"},
                                                                                  {"idle", "#d9dde2"}}};
  for (const auto& [name, colour] : colours)
    if (use == name) return colour;
  return "#777777";
}

// Idle, waiting for memory, other stalls; then from few lanes, light, to all, dark.
std::string lane_colour(std::size_t bucket, std::size_t buckets) {
  if (bucket == 0) return "#d9dde2";
  if (bucket == 1) return "#c4483c";
  if (bucket == 2) return "#e39c3d";
  const double part = static_cast<double>(bucket - 3) / static_cast<double>(buckets > 4 ? buckets - 4 : 1);
  const auto mix = [&](int from, int to) { return from + static_cast<int>(part * (to - from)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0xc6, 0x12), mix(0xdd, 0x3f), mix(0xf0, 0x73));
}

std::string stack_svg(const Stack& stack) {
  const std::size_t count = stack.titles.size();
  const double room = width - left - right, step = room / static_cast<double>(count == 0 ? 1 : count);
  std::string text = fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">\n",
      xml(stack.label), width, top + stack.height + bottom, width, top + stack.height + bottom);
  for (std::size_t i = 0; i < count; ++i) {
    double all = 0;
    for (const Layer& layer : stack.layers) all += layer.values[i];
    const double gap = step > 6 ? 1 : 0;
    text += column_svg(stack, i, {left + static_cast<double>(i) * step, step - gap + (gap == 0 ? 0.3 : 0), all});
  }
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double y = top + stack.height * (1 - part);
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.0f} %</text>\n",
        left, width - right, y, left - 6, y + 4, part * 100);
  }
  for (const auto& [column, mark] : stack.x_marks)
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", left + column * step,
                        top + stack.height + 15, xml(mark));
  return text + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n</svg>\n",
                            left + room / 2, top + stack.height + 30, xml(stack.x_name));
}

std::string legend(const std::vector<Layer>& layers) {
  std::string text = "<p class=\"legend\">";
  for (const Layer& layer : layers)
    text += fmt::format("<span><i style=\"background:{}\"></i>{}</span> ", layer.colour, xml(layer.name));
  return text + "</p>\n";
}

}  // namespace heddle::simreport
