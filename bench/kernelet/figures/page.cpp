#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/table.hpp"

namespace heddle::bench::kernelet {
namespace {

constexpr std::array machines = {"fermi-c2050", "kepler-gtx680"};
constexpr std::array kernels = {"PC", "SAD", "SPMV", "ST", "MM", "MRIQ", "BS", "TEA"};
constexpr std::array mixes = {"CI", "MI", "MIX", "ALL"};
constexpr std::array policies = {"serial",          "base", "kernelet",         "kernelet:balanced",
                                 "kernelet:chains", "opt",  "kernelet:constant"};
constexpr std::string_view begin_mark = "<!-- figures -->\n", end_mark = "<!-- end of figures -->";

// Table IV of the paper, C2050: PUR, MUR. BS's PUR is printed as 0.8642; the paper's Table VI was counted with 0.8462.
struct Use {
  double pur, mur;
};
constexpr std::array<Use, 8> paper_c2050 = {{{.0096, .1404},
                                             {.1498, .1120},
                                             {.3464, .003},
                                             {.3629, .1156},
                                             {.5804, .0161},
                                             {.8539, .0002},
                                             {.8462, .0604},
                                             {.9978, .0196}}};

std::optional<double> find(const Figures& figures, const std::string& name) {
  const auto at = figures.find(name);
  return at == figures.end() ? std::nullopt : std::optional(at->second);
}
std::string number(const Figures& figures, const std::string& name, int digits) {
  const auto value = find(figures, name);
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}
std::string percent(const Figures& figures, const std::string& name) {
  const auto value = find(figures, name);
  return value ? fmt::format("{:.1f} %", 100 * *value) : "-";
}

std::string alone(const Figures& figures, const std::string& machine, bool with_paper) {
  using base::Align;
  std::vector<base::Table::Column> columns = {{"alone"},
                                              {"IPC, simulated", Align::right},
                                              {"IPC, model", Align::right},
                                              {"IPC, chains", Align::right},
                                              {"R_m", Align::right},
                                              {"PUR", Align::right},
                                              {"MUR", Align::right}};
  if (with_paper) {
    columns.push_back({"paper: PUR", Align::right});
    columns.push_back({"MUR", Align::right});
  }
  base::Table table(columns);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string name = fmt::format("{}/alone/{}/", machine, kernels[i]);
    std::vector<std::string> row = {kernels[i],
                                    number(figures, name + "simulated", 3),
                                    number(figures, name + "model", 3),
                                    number(figures, name + "chains", 3),
                                    number(figures, name + "R_m", 3),
                                    number(figures, name + "PUR", 3),
                                    number(figures, name + "MUR", 3)};
    if (with_paper) {
      row.push_back(fmt::format("{:.3f}", paper_c2050[i].pur));
      row.push_back(fmt::format("{:.3f}", paper_c2050[i].mur));
    }
    table.add_row(row);
  }
  return table.markdown();
}

std::string totals(const Figures& figures, const std::string& machine) {
  using base::Align;
  std::vector<base::Table::Column> columns = {{"total time, us"}};
  for (const char* const policy : policies) columns.push_back({policy, Align::right});
  columns.push_back({"saved against base", Align::right});
  columns.push_back({"over opt", Align::right});
  base::Table table(columns);
  for (const char* const mix : mixes) {
    const std::string name = fmt::format("{}/mix/{}/", machine, mix);
    std::vector<std::string> row = {mix};
    for (const char* const policy : policies) row.push_back(number(figures, name + policy, 1));
    row.push_back(percent(figures, name + "saved against base"));
    row.push_back(percent(figures, name + "over opt"));
    table.add_row(row);
  }
  return table.markdown();
}

// A pair's forecasts and what was simulated, by ratio.
struct Ratio {
  std::string blocks;
  double simulated = 0, model = 0;
};

std::map<std::string, std::vector<Ratio>> pairs_of(const Figures& figures, const std::string& machine) {
  const std::string begin = machine + "/pair/", end = "/simulated";
  std::map<std::string, std::vector<Ratio>> pairs;
  for (const auto& [name, value] : figures) {
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    const std::string inner = name.substr(begin.size(), name.size() - begin.size() - end.size());
    const std::size_t slash = inner.find('/');
    const auto model = find(figures, begin + inner + "/model");
    if (slash != inner.npos && model) pairs[inner.substr(0, slash)].push_back({inner.substr(slash + 1), value, *model});
  }
  return pairs;
}

// Of each pair the ratio that is best and the one that the model takes for it.
std::string pairs_table(const Figures& figures, const std::string& machine) {
  using base::Align;
  base::Table table({{"pair"},
                     {"best blocks", Align::right},
                     {"CP, simulated", Align::right},
                     {"CP, model", Align::right},
                     {"blocks by the model", Align::right},
                     {"CP, model", Align::right},
                     {"CP, simulated", Align::right}});
  const auto pairs = pairs_of(figures, machine);
  for (const auto& [name, ratios] : pairs) {
    const auto by = [&](double Ratio::* member) {
      return *std::max_element(ratios.begin(), ratios.end(),
                               [&](const Ratio& a, const Ratio& b) { return a.*member < b.*member; });
    };
    const Ratio best = by(&Ratio::simulated), chosen = by(&Ratio::model);
    table.add_row({name, best.blocks, fmt::format("{:.3f}", best.simulated), fmt::format("{:.3f}", best.model),
                   chosen.blocks, fmt::format("{:.3f}", chosen.model), fmt::format("{:.3f}", chosen.simulated)});
  }
  return pairs.empty() ? std::string("The pairs were not measured.\n") : table.markdown();
}

std::string bars_of(const Figures& figures) {
  base::Table table({{"what"}, {"bar"}, {"C2050", base::Align::right}, {"GTX680", base::Align::right}});
  struct Row {
    const char *what, *bar, *name;
    bool share;
  };
  constexpr std::array rows = {
      Row{"model alone, mean error of the peak", "10 %", "alone/mean error of the peak", true},
      Row{"the same, chains", "", "alone/mean error of the peak, chains", true},
      Row{"model of pairs, mean error of the peak", "10 %", "pairs/mean error of the peak", true},
      Row{"the same, chains", "", "pairs/mean error of the peak, chains", true},
      Row{"rank correlation of CP, 28 pairs", "0.8", "pairs/rank correlation of CP", false},
      Row{"the same, chains", "", "pairs/rank correlation of CP, chains", false},
      Row{"MIX, saved against base", "20 %", "mix/MIX/saved against base", true},
      Row{"ALL, saved against base", "15 %", "mix/ALL/saved against base", true},
      Row{"CI, saved against base", "0 %", "mix/CI/saved against base", true},
      Row{"MI, saved against base", "0 %", "mix/MI/saved against base", true},
      Row{"MIX, opt, saved against base", "", "mix/MIX/opt, saved against base", true},
      Row{"MIX, saved against serial", "", "mix/MIX/saved against serial", true},
      Row{"ALL, saved against serial", "", "mix/ALL/saved against serial", true},
      Row{"MIX, bound of all orders of pairs, against serial", "", "mix/MIX/bound, saved against serial", true},
      Row{"ALL, bound of all orders of pairs, against serial", "", "mix/ALL/bound, saved against serial", true},
      Row{"MIX, over opt", "5 %", "mix/MIX/over opt", true},
      Row{"ALL, over opt", "5 %", "mix/ALL/over opt", true},
      Row{"MIX, constant model over kernelet", "above 0", "mix/MIX/constant model over kernelet", true},
      Row{"MIX replayed: kernelet, us", "", "random/kernelet, replayed", false},
      Row{"MIX replayed: best of the random schedules, us", "", "random/best", false},
      Row{"MIX replayed: median of the random schedules, us", "", "random/median", false},
      Row{"random schedules better than kernelet", "0", "random/schedules better than kernelet", false},
      Row{"longest decision, us of the host", "1000", "decision/MIX/longest", false},
      Row{"choices of pairs in MIX, us of the host", "", "decision/MIX/choices", false},
      Row{"later decisions, share of the time", "1 %", "decision/MIX/share of the time", true}};
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.what, row.bar};
    for (const char* const machine : machines) {
      const std::string name = fmt::format("{}/{}", machine, row.name);
      cells.push_back(row.share ? percent(figures, name) : number(figures, name, 2));
    }
    table.add_row(cells);
  }
  return table.markdown();
}

}  // namespace

Figures read_figures(const std::string& file) {
  Figures figures;
  try {
    for (const auto& row : nlohmann::json::parse(base::read_file(file)))
      figures[row.at("name").get<std::string>()] = row.at("value").get<double>();
  } catch (const nlohmann::json::exception& error) {
    base::fail(ErrorCode::parse_error, "{}: {}", file, error.what());
  }
  return figures;
}

std::string tables(const Figures& figures) {
  std::string text = bars_of(figures);
  for (const char* const machine : machines) {
    text += fmt::format("\n### sim:{}\n\n{}\n{}\n{}", machine,
                        alone(figures, machine, std::string_view(machine) == machines[0]), totals(figures, machine),
                        pairs_table(figures, machine));
  }
  return text;
}

std::string with_tables(const std::string& page, const std::string& made) {
  const std::size_t begin = page.find(begin_mark), end = page.find(end_mark);
  if (begin == page.npos || end == page.npos || end < begin)
    base::fail(ErrorCode::invalid_argument, "the page has no place for figures");
  return page.substr(0, begin + begin_mark.size()) + "\n" + made + "\n" + page.substr(end);
}

std::string chart(const Figures& figures) {
  constexpr int width = 900, height = 300, left = 50, top = 20, base_line = 250, bar_width = 10, gap = 24;
  constexpr double tallest = 1.3;  // of BASE's time
  constexpr std::array colours = {"#9aa5b1", "#52606d", "#2680c2", "#e8a33d",
                                  "#8eedc7", "#b990ff", "#3ebd93", "#e66a6a"};
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" font-family="sans-serif" font-size="11">)"
      "\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  const auto y_of = [&](double over) { return base_line - (base_line - top) * over / tallest; };
  svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#cbd2d9\"/>\n", left, width,
                     y_of(1), y_of(1));
  svg += fmt::format("<text x=\"4\" y=\"{:.1f}\">BASE</text>\n", y_of(1) + 4);
  double x = left;
  for (const char* const machine : machines)
    for (const char* const mix : mixes) {
      const auto base = find(figures, fmt::format("{}/mix/{}/base", machine, mix));
      if (!base) continue;
      const double begin = x;
      for (std::size_t i = 0; i < policies.size(); ++i) {
        const auto time = find(figures, fmt::format("{}/mix/{}/{}", machine, mix, policies[i]));
        if (!time) continue;
        const double y = y_of(std::min(*time / *base, tallest));
        svg += fmt::format(
            "<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: {:.1f} us"
            "</title></rect>\n",
            x, y, bar_width, base_line - y, colours[i], policies[i], *time);
        x += bar_width;
      }
      svg += fmt::format("<text x=\"{:.0f}\" y=\"{}\">{}</text>\n<text x=\"{:.0f}\" y=\"{}\">{}</text>\n", begin,
                         base_line + 14, mix, begin, base_line + 28, machine);
      x += gap;
    }
  x = left;
  for (std::size_t i = 0; i < policies.size();
       x += 26 + 6 * static_cast<double>(std::string_view(policies[i++]).size()))
    svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"6\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{:.0f}\" y=\"15\">{}"
        "</text>\n",
        x, colours[i], x + 14, policies[i]);
  return svg + "</svg>\n";
}

}  // namespace heddle::bench::kernelet
