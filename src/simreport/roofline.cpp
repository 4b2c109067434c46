#include "simreport/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simreport/figures.hpp"
#include "simreport/svg.hpp"

namespace heddle::simreport {
namespace {

constexpr double width = 920, height = 360, left = 64, right = 20, top = 12, bottom = 40;
constexpr std::array<const char*, 6> colours = {"#c4483c", "#2f6fab", "#2f7d4f", "#7b5fa8", "#b45f06", "#444444"};

struct Point {
  double intensity = 0, rate = 0;
  std::string name;
  std::size_t run = 0;
};

std::vector<Point> points_of(const std::vector<Run>& runs) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const KernelSum& sum : sums_of(runs[i])) {
      const Launch& launch = *sum.first;
      const double operations = launch.f32_operations + launch.f64_operations;
      if (operations == 0 || launch.memory.dram_bytes == 0 || launch.simulated_seconds == 0) continue;
      points.push_back(
          {operations / launch.memory.dram_bytes, operations / launch.simulated_seconds, launch.kernel, i});
    }
  }
  return points;
}

class Drawing {
 public:
  Drawing(const Machine& machine, const std::vector<Point>& points) : machine_(machine) {
    for (const Point& point : points) {
      low_x_ = std::min(low_x_, std::floor(std::log10(point.intensity)));
      high_x_ = std::max(high_x_, std::ceil(std::log10(point.intensity)));
      low_y_ = std::min(low_y_, std::floor(std::log10(point.rate)));
    }
    high_y_ = std::ceil(std::log10(machine.f32_per_s));
    low_y_ = std::min(low_y_, high_y_ - 2);
  }

  std::string draw(const std::vector<Point>& points, bool numbered) const {
    std::string text =
        fmt::format("<svg role=\"img\" aria-label=\"roofline\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n",
                    width, height);
    text += axes();
    text += roof(machine_.f32_per_s, "FP32");
    if (machine_.f64_per_s < machine_.f32_per_s) text += roof(machine_.f64_per_s, "FP64");
    text += slope(machine_.dram_bytes_per_s, "DRAM", false) + slope(machine_.l2_bytes_per_s, "L2", true);
    for (const Point& point : points) text += dot(point, numbered);
    return text + "</svg>\n";
  }

 private:
  double x(double value) const {
    return left + (std::log10(value) - low_x_) / (high_x_ - low_x_) * (width - left - right);
  }
  double y(double value) const {
    return top + (high_y_ - std::log10(value)) / (high_y_ - low_y_) * (height - top - bottom);
  }

  std::string axes() const {
    std::string text;
    for (double power = low_x_; power <= high_x_; ++power)
      text += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4:g}</text>\n",
          x(std::pow(10, power)), top, height - bottom, height - bottom + 15, std::pow(10, power));
    for (double power = low_y_; power <= high_y_; ++power)
      text += fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5:g}</text>\n",
          left, width - right, y(std::pow(10, power)), left - 6, y(std::pow(10, power)) + 4, std::pow(10, power - 9));
    return text + fmt::format(
                      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">operations for each byte of DRAM</text>"
                      "<text x=\"{}\" y=\"{}\">Gflop/s</text>\n",
                      (left + width - right) / 2, height - 6, left + 4, top + 12);
  }

  std::string line(double x1, double y1, double x2, double y2) const {
    return fmt::format("<line class=\"roof\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", x1, y1, x2,
                       y2);
  }

  std::string roof(double rate, const char* name) const {
    const double begin = std::clamp(rate / machine_.dram_bytes_per_s, std::pow(10, low_x_), std::pow(10, high_x_));
    return line(x(begin), y(rate), width - right, y(rate)) +
           fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{} {:.0f} Gflop/s</text>\n",
                       width - right - 4, y(rate) - 4, name, rate * 1e-9);
  }

  // Where memory is the limit, up to the roof.
  std::string slope(double bytes_per_s, const char* name, bool ends) const {
    const double least = std::max(std::pow(10, low_x_), std::pow(10, low_y_) / bytes_per_s);
    const double most = std::min(machine_.f32_per_s / bytes_per_s, std::pow(10, high_x_));
    if (least >= most) return {};
    // `ends`: the name is beside the upper end, else below the middle, so that names do not meet.
    const double at = ends ? most : std::sqrt(least * most);
    return line(x(least), y(least * bytes_per_s), x(most), y(most * bytes_per_s)) +
           fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{} {:.0f} GB/s</text>\n",
                       x(at) + (ends ? -8 : 8), y(at * bytes_per_s) + (ends ? -2 : 12), ends ? "end" : "start", name,
                       bytes_per_s * 1e-9);
  }

  std::string dot(const Point& point, bool numbered) const {
    std::string name = point.name.size() > 40 ? point.name.substr(0, 37) + "..." : point.name;
    if (numbered) name = std::to_string(point.run + 1) + ": " + name;
    const bool right_half = x(point.intensity) > width / 2;
    return fmt::format(
        "<g><title>{}\n{:.1f} Gflop/s, {:.2f} operations a byte</title><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" "
        "fill=\"{}\"/><text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text></g>\n",
        xml(name), point.rate * 1e-9, point.intensity, x(point.intensity), y(point.rate),
        colours[point.run % colours.size()], x(point.intensity) + (right_half ? -10 : 10), y(point.rate) + 4,
        right_half ? "end" : "start", xml(name));
  }

  const Machine& machine_;
  double low_x_ = -1, high_x_ = 2, low_y_ = 100, high_y_ = 0;
};

}  // namespace

std::string roofline_svg(const std::vector<Run>& runs) {
  const std::vector<Point> points = points_of(runs);
  if (points.empty()) return {};
  return Drawing(runs.front().machine, points).draw(points, runs.size() > 1);
}

}  // namespace heddle::simreport
