// heddle timeline, graph and metrics: what a trace file tells.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/format.hpp"
#include "base/print_error.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "trace/dot.hpp"
#include "trace/measures.hpp"
#include "trace/picture.hpp"
#include "trace/timeline.hpp"

namespace heddle::cli {
namespace {

// Names of template instances can have thousands of characters. The JSON form has them whole.
std::string shortened(const std::string& name) {
  constexpr std::size_t most = 72;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

namespace fs = std::filesystem;

struct Options {
  std::string file, output, serial;
  std::optional<double> from, to;  // milliseconds
  bool json = false;
};

// CLI11's own tells the largest double with all its digits.
std::string no_milliseconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool good = end != text.c_str() && *end == '\0' && value >= 0 && std::isfinite(value);
  return good ? std::string() : fmt::format("'{}' is no number of milliseconds", text);
}

void add_window(CLI::App& command, Options& options) {
  command.add_option("--from", options.from, "milliseconds from the first command's begin: leave out what ends before")
      ->check(no_milliseconds);
  command.add_option("--to", options.to, "leave out what begins after")->check(no_milliseconds);
}

std::uint64_t nanoseconds(double milliseconds) {
  return static_cast<std::uint64_t>(std::min(milliseconds, 1e12) * 1e6);
}

trace::Timeline read(const Options& options) {
  const std::uint64_t begin = nanoseconds(options.from.value_or(0)),
                      end = options.to ? nanoseconds(*options.to) : ~std::uint64_t{0};
  if (begin >= end)
    throw UsageError(fmt::format("--from {} is not before --to {}", options.from.value_or(0), options.to.value_or(0)));
  trace::Timeline timeline = trace::read_timeline(options.file);
  // What a program that was ended before its time leaves, too.
  if (timeline.commands.empty())
    base::print_error("heddle: note: {} has no launches, copies or fills\n", base::printable(options.file));
  if (!options.from && !options.to) return timeline;
  return trace::part_of(timeline, begin, end);
}

using Drawing = std::string (*)(const trace::Timeline&);

void draw(const Options& options, const fs::path& output, Drawing drawing, base::FileKind kind) {
  const char* const form = kind == base::FileKind::svg ? "SVG" : "DOT";
  const fs::path input = options.file;
  check_output("-o", output, {&input, 1}, kind);
  const trace::Timeline timeline = read(options);
  write_output(output, drawing(timeline), base::counted(timeline.commands.size(), "command"), form);
}

std::string percent(double part) { return fmt::format("{:.1f} %", part * 100); }

void print_text(const trace::Measures& measures, bool by_serial) {
  base::Table table({{"what"}, {"value", base::Align::right}, {"meaning"}});
  const auto time = [](double seconds) { return base::format_duration(seconds); };
  const base::Overlap& overlap = measures.overlap;
  table.add_row({"time", time(measures.seconds), "from the first command's begin to the last one's end"});
  table.add_row(
      {"kernels", time(overlap.kernel_seconds), fmt::format("sum over {}", base::format_count(measures.kernels))});
  table.add_row({"transfers", time(overlap.transfer_seconds),
                 fmt::format("sum over {} copies and fills", base::format_count(measures.transfers))});
  if (measures.failed > 0)
    table.add_row({"failed", base::format_count(measures.failed), "commands that failed or were skipped"});
  table.add_row({"CT", percent(overlap.ct), "of the kernels' time passes during transfers"});
  table.add_row({"TC", percent(overlap.tc), "of the transfers' time passes during kernels"});
  table.add_row({"CC", percent(overlap.cc), "of the kernels' time passes during other kernels"});
  table.add_row({"TOT", percent(overlap.tot), "of all time, that of kernels during anything else, counted once"});
  if (measures.path_seconds) {
    table.add_row({by_serial ? "bound" : "path", time(*measures.path_seconds),
                   by_serial ? "the longest path with the serial run's times: contention-free"
                             : "the longest path with these times (--serial: without contention)"});
    if (measures.seconds > 0)
      table.add_row({by_serial ? "bound / time" : "path / time",
                     fmt::format("{:.2f}", *measures.path_seconds / measures.seconds), ""});
  }
  fmt::print("{}\n", table.text());
  base::Table kernels({{"kernel"},
                       {"launches", base::Align::right},
                       {"mean", base::Align::right},
                       {"last", base::Align::right},
                       {"sum", base::Align::right},
                       {"last grid"},
                       {"last block"},
                       {"shared", base::Align::right}});
  for (const trace::KernelFigures& kernel : measures.by_kernel)
    kernels.add_row({shortened(kernel.name), base::format_count(kernel.launches), time(kernel.mean_seconds),
                     time(kernel.last_seconds), time(kernel.total_seconds), kernel.last_grid, kernel.last_block,
                     base::format_bytes(kernel.last_shared)});
  if (kernels.rows() > 0) fmt::print("{}", kernels.text());
}

void print_json(const trace::Measures& measures, bool by_serial) {
  const base::Overlap& overlap = measures.overlap;
  nlohmann::json json = {{"seconds", measures.seconds},
                         {"kernels", measures.kernels},
                         {"transfers", measures.transfers},
                         {"failed", measures.failed},
                         {"kernel_seconds", overlap.kernel_seconds},
                         {"transfer_seconds", overlap.transfer_seconds},
                         {"CT", overlap.ct},
                         {"TC", overlap.tc},
                         {"CC", overlap.cc},
                         {"TOT", overlap.tot},
                         {"by_kernel", nlohmann::json::array()}};
  if (measures.path_seconds) json[by_serial ? "bound_seconds" : "path_seconds"] = *measures.path_seconds;
  for (const trace::KernelFigures& kernel : measures.by_kernel)
    json["by_kernel"].push_back({{"name", kernel.name},
                                 {"launches", kernel.launches},
                                 {"mean_seconds", kernel.mean_seconds},
                                 {"last_seconds", kernel.last_seconds},
                                 {"total_seconds", kernel.total_seconds},
                                 {"last_grid", kernel.last_grid},
                                 {"last_block", kernel.last_block},
                                 {"last_shared", kernel.last_shared}});
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

CLI::App& add(CLI::App& app, const char* name, const char* what, Options& options) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("trace", options.file, "a file of heddle run --trace, or of RuntimeOptions::trace")->required();
  add_window(*command, options);
  return *command;
}

}  // namespace

void add_traces(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App& timeline = add(app, "timeline", "draws a trace: queues as rows, kernels and copies as boxes", *options);
  timeline.add_option("-o,--output", options->output,
                      "the picture, SVG; - prints it (default: the trace's name with .svg)");
  timeline.callback([options] {
    const std::string to = options->output.empty()
                               ? fs::path(options->file).filename().replace_extension(".svg").string()
                               : options->output;
    draw(*options, to, [](const trace::Timeline& timeline) { return trace::picture(timeline); }, base::FileKind::svg);
  });
  CLI::App& graph = add(app, "graph", "the DAG of a trace, for Graphviz", *options);
  graph.add_option("-o,--output", options->output, "the graph, DOT; without, it is printed");
  graph.callback(
      [options] { draw(*options, options->output.empty() ? "-" : options->output, trace::dot, base::FileKind::dot); });
  CLI::App& metrics =
      add(app, "metrics", "overlap, the longest path, and what each kernel takes, of a trace", *options);
  metrics.add_option("--serial", options->serial,
                     "a trace of the same program, launched one by one: times for the bound");
  metrics.add_flag("--json", options->json, "JSON");
  metrics.callback([options] {
    std::optional<trace::Timeline> serial;
    if (!options->serial.empty()) serial = trace::read_timeline(options->serial);
    const trace::Measures measures = trace::measure(read(*options), serial ? &*serial : nullptr);
    options->json ? print_json(measures, serial.has_value()) : print_text(measures, serial.has_value());
  });
}

}  // namespace heddle::cli
