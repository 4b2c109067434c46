#include "agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simreport/svg.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::comparison {
double rank_correlation(const std::vector<Pair>& pairs) {
  std::vector<double> gpu, simulated;
  for (const Pair& pair : pairs) {
    gpu.push_back(pair.gpu);
    simulated.push_back(pair.simulated);
  }
  return bench::rank_correlation(gpu, simulated);
}

double mean_absolute_error(const std::vector<Pair>& pairs) {
  double sum = 0;
  for (const Pair& pair : pairs) sum += std::abs(pair.error());
  return sum / static_cast<double>(pairs.size());
}

std::string scatter_svg(const std::vector<Pair>& pairs, const std::string& gpu, const std::string& simulated) {
  double low = 1e300, high = 0;
  for (const Pair& pair : pairs) {
    low = std::min({low, pair.gpu, pair.simulated});
    high = std::max({high, pair.gpu, pair.simulated});
  }
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  constexpr double left = 60, top = 20, size = 480;
  const auto x = [&](double cycles) { return left + (std::log10(cycles) - first) / (last - first) * size; };
  const auto y = [&](double cycles) { return top + size - (std::log10(cycles) - first) / (last - first) * size; };
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      left + size + 20, top + size + 50);
  for (double decade = first; decade <= last; ++decade) {
    const double cycles = std::pow(10, decade);
    text += fmt::format(
        "<path d=\"M{0} {1}V{2}M{3} {4}H{5}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0}\" y=\"{6}\" text-anchor=\"middle\">1e{8:.0f}</text>\n"
        "<text x=\"{7}\" y=\"{4}\" text-anchor=\"end\">1e{8:.0f}</text>\n",
        x(cycles), top, top + size, left, y(cycles), left + size, top + size + 18, left - 6, decade);
  }
  for (const double factor : {0.7, 1.0, 1.3}) {
    const double from = std::max(low, low / factor), to = std::min(high, high / factor);
    text += fmt::format("<path d=\"M{} {}L{} {}\" stroke=\"#888\"{}/>\n", x(from), y(from * factor), x(to),
                        y(to * factor), factor == 1 ? "" : " stroke-dasharray=\"4 4\"");
  }
  for (const Pair& pair : pairs)
    text += fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"><title>{}: {:.4g} and {:.4g}</title></circle>\n", x(pair.gpu),
        y(pair.simulated), pair.kernel ? "#c2410c" : "#1d4ed8", simreport::xml(pair.name), pair.gpu, pair.simulated);
  text += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">cycles on {}</text>\n"
      "<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">cycles on {}</text>\n"
      "<circle cx=\"{}\" cy=\"34\" r=\"4\" fill=\"#1d4ed8\"/><text x=\"{}\" y=\"38\">microbenchmarks</text>\n"
      "<circle cx=\"{}\" cy=\"52\" r=\"4\" fill=\"#c2410c\"/><text x=\"{}\" y=\"56\">kernels</text>\n</svg>\n",
      left + size / 2, top + size + 40, simreport::xml(gpu), top + size / 2, simreport::xml(simulated), left + 16,
      left + 26, left + 16, left + 26);
  return text;
}

}  // namespace heddle::bench::comparison
