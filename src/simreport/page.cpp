#include "simreport/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "simreport/figures.hpp"
#include "simreport/kernel_section.hpp"
#include "simreport/roofline.hpp"
#include "simreport/svg.hpp"

namespace heddle::simreport {
namespace {

constexpr const char* style = R"(
body { font: 14px/1.45 Helvetica, Arial, sans-serif; color: #1d2329; background: #fff; max-width: 980px;
  margin: 24px auto; padding: 0 16px; }
h1 { font-size: 22px; } h2 { font-size: 18px; margin-top: 36px; border-bottom: 1px solid #d9dde2; }
h3 { font-size: 15px; margin: 22px 0 6px; }
table { border-collapse: collapse; } td, th { padding: 2px 10px 2px 0; text-align: right; vertical-align: top;
  white-space: nowrap; }
td:first-child, th:first-child, td.text { text-align: left; } td.text { white-space: normal; } th { font-weight: 600; border-bottom: 1px solid #d9dde2; }
table.lines { display: block; overflow-x: auto; }
table.lines td:last-child, table.lines th:last-child { text-align: left; white-space: pre; }
tr.hot { background: #fdf1e7; } code { font: 12px/1.3 Menlo, Consolas, monospace; }
svg { max-width: 100%; height: auto; } td svg { max-width: none; display: block; margin-top: 3px; } svg text { font: 11px Helvetica, Arial, sans-serif; fill: #444b52; }
.grid { stroke: #c9ced4; stroke-width: 0.5; } .roof { stroke: #1d2329; stroke-width: 1.5; }
.legend span { margin-right: 12px; white-space: nowrap; }
.legend i { display: inline-block; width: 11px; height: 11px; margin-right: 4px; }
.note { color: #57606a; } .failed { color: #b3261e; white-space: pre-wrap; }
)";

std::string page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         xml(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n";
}

std::string policies(const Machine& machine) {
  std::string text;
  for (const auto& [seam, name] : machine.policies) text += (text.empty() ? "" : ", ") + seam + " " + name;
  return text;
}

std::string figures_table(const std::vector<Figure>& figures) {
  std::string text = "<table>\n";
  for (const Figure& figure : figures)
    text += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>\n", xml(figure.name),
                        xml(figure.value), xml(figure.unit));
  return text + "</table>\n";
}

std::string kernel_html(const Run& run, const KernelSum& sum) {
  const Launch& launch = *sum.first;
  const Machine& machine = run.machine;
  std::string text = fmt::format("<h2>{}</h2>\n<p>{}", xml(launch.kernel), xml(shape_of(launch)));
  if (sum.launches > 1) text += "; " + text_of(sum) + ". What follows is the first one.";
  text += "</p>\n";
  if (const std::string note = sample_note(launch); !note.empty()) text += "<p class=\"note\">" + note + "</p>\n";
  if (!launch.failure.empty()) text += "<p class=\"failed\">failed: " + xml(launch.failure) + "</p>\n";
  text += figures_table(figures_of(machine, launch));
  text += "<h3>What the schedulers of each SM did</h3>\n" + stalls_by_sm(machine, launch);
  text += "<h3>Slots over time</h3>\n" + uses_over_time(machine, launch);
  text += "<h3>Active lanes over time</h3>\n" + lanes_over_time(machine, launch);
  if (const std::string dram = dram_over_time(machine, launch); !dram.empty())
    text += "<h3>DRAM bandwidth over time</h3>\n" + dram;
  text +=
      "<h3>Where the time of warps goes</h3>\n<p class=\"note\">Each cycle of a warp on an SM is counted at the "
      "instruction that the warp issues next, by the reason why it has not yet.</p>\n";
  return text + hot_lines(machine, launch);
}

// Figures of the n-th kernel of all runs side by side.
std::string side_by_side(const std::vector<Run>& runs, std::size_t kernel) {
  std::vector<std::vector<Figure>> all;
  std::string head = "<tr><th>figure</th>", name;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto sums = sums_of(runs[i]);
    head += fmt::format("<th>{}: {}</th>", i + 1, xml(runs[i].machine.id));
    all.emplace_back();
    if (kernel >= sums.size()) continue;
    all.back() = figures_of(runs[i].machine, *sums[kernel].first);
    if (name.empty()) name = sums[kernel].first->kernel + ": " + shape_of(*sums[kernel].first);
  }
  std::vector<Figure> names;
  for (const auto& figures : all)
    for (const Figure& figure : figures)
      if (std::none_of(names.begin(), names.end(), [&](const Figure& one) { return one.name == figure.name; }))
        names.push_back(figure);
  std::string text = "<h2>" + xml(name) + "</h2>\n<table>\n" + head + "<th></th></tr>\n";
  for (const Figure& row : names) {
    text += "<tr><td>" + xml(row.name) + "</td>";
    for (const auto& figures : all) {
      const auto found =
          std::find_if(figures.begin(), figures.end(), [&](const Figure& one) { return one.name == row.name; });
      text += "<td>" + (found == figures.end() ? std::string("-") : xml(found->value)) + "</td>";
    }
    text += "<td class=\"text\">" + xml(row.unit) + "</td></tr>\n";
  }
  return text + "</table>\n";
}

// What schedulers did, a column for each run.
std::string uses_by_run(const std::vector<Run>& runs, std::size_t kernel) {
  std::vector<Layer> layers;
  for (const std::string& use : runs.front().machine.slot_uses) layers.push_back({use, use_colour(use), {}});
  Stack stack{.label = "what schedulers did", .x_name = "run"};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto sums = sums_of(runs[i]);
    if (kernel >= sums.size()) continue;
    for (std::size_t k = 0; k < layers.size(); ++k) layers[k].values.push_back(sums[kernel].first->sm.uses.at(k));
    stack.x_marks.emplace_back(static_cast<double>(stack.titles.size()) + 0.5, std::to_string(i + 1));
    stack.titles.push_back(runs[i].machine.id);
  }
  stack.layers = layers;
  return legend(layers) + stack_svg(stack);
}

}  // namespace

std::string report_page(const Run& run) {
  std::string body = fmt::format("<h1>{}</h1>\n<p>{}. {:.0f} SMs at {:.0f} MHz. <span class=\"note\">{}</span></p>\n",
                                 xml(run.machine.id), xml(run.machine.title), run.machine.sms, run.machine.sm_mhz,
                                 xml(policies(run.machine)));
  const std::string roof = roofline_svg({run});
  body += "<h2>Roofline</h2>\n" +
          (roof.empty() ? std::string("<p class=\"note\">No kernel computes in floating point and moves bytes of "
                                      "DRAM.</p>\n")
                        : roof);
  for (const KernelSum& sum : sums_of(run)) body += kernel_html(run, sum);
  return page(run.machine.id + ": report", body);
}

std::string slots_picture(const Run& run) {
  if (run.launches.empty()) return {};
  const std::string all = uses_over_time(run.machine, run.launches.front());
  const std::string drawing = all.substr(all.find("<svg"));
  std::string names;
  double x = 60;
  for (const std::string& use : run.machine.slot_uses) {
    names += fmt::format(
        "<rect x=\"{:.0f}\" y=\"8\" width=\"11\" height=\"11\" fill=\"{}\"/><text x=\"{:.0f}\" "
        "y=\"18\">{}</text>\n",
        x, use_colour(use), x + 16, xml(use));
    x += 90;
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"920\" height=\"252\" viewBox=\"0 0 920 252\">\n<style>text "
         "{ font: "
         "11px Helvetica, Arial, sans-serif; fill: #444b52; } .grid { stroke: #c9ced4; stroke-width: 0.5; }</style>\n"
         "<rect width=\"920\" height=\"252\" fill=\"#ffffff\"/>\n" +
         names + "<g transform=\"translate(0 26)\">\n" + drawing + "</g>\n</svg>\n";
}

std::string compare_page(const std::vector<Run>& runs) {
  std::string body = "<h1>Comparison</h1>\n<table>\n";
  std::size_t most = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    body += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td></tr>\n", i + 1,
                        xml(runs[i].machine.id), xml(policies(runs[i].machine)));
    most = std::max(most, sums_of(runs[i]).size());
  }
  body += "</table>\n";
  if (const std::string roof = roofline_svg(runs); !roof.empty())
    body += "<h2>Roofline</h2>\n<p class=\"note\">The roof is that of the first machine.</p>\n" + roof;
  for (std::size_t kernel = 0; kernel < most; ++kernel)
    body += side_by_side(runs, kernel) + "<h3>What schedulers did</h3>\n" + uses_by_run(runs, kernel);
  return page("Comparison of simulated runs", body);
}

}  // namespace heddle::simreport
