#include "compat/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/table.hpp"
#include "support/machine.hpp"
#include "support/statistics.hpp"

namespace heddle::bench {
namespace {

bool passed(const Row& row, std::size_t way) {
  return way < row.judgements.size() && row.judgements[way].verdict == Verdict::passed;
}

bool has_bare(const Report& report) { return report.ways.front().front.empty(); }

// How many times as long as bare; 0 where one of both did not pass.
double times_bare(const Row& row, std::size_t way) {
  if (!passed(row, 0) || !passed(row, way) || row.judgements[0].seconds <= 0) return 0;
  return row.judgements[way].seconds / row.judgements[0].seconds;
}

std::vector<double> all_times_bare(const Report& report, std::size_t way) {
  std::vector<double> ratios;
  for (const Row& row : report.rows)
    if (const double ratio = times_bare(row, way); ratio > 0) ratios.push_back(ratio);
  return ratios;
}

// A bar would begin a new cell.
std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  ::gmtime_r(&now, &time);
  return fmt::format("{:04}-{:02}-{:02}", time.tm_year + 1900, time.tm_mon + 1, time.tm_mday);
}

std::string summary(const Report& report, const std::string& device) {
  std::string text = fmt::format("# {}\n\n", report.list.title);
  const std::size_t out = static_cast<std::size_t>(
      std::count_if(report.rows.begin(), report.rows.end(), [](const Row& row) { return row.judgements.empty(); }));
  for (std::size_t way = 0; way < report.ways.size(); ++way) {
    const Count c = count(report, way);
    text +=
        fmt::format("- {}: **{} of {}** passed ({:.1f} %)", report.ways[way].title, c.passed, c.counted, c.percent());
    const std::vector<double> ratios = all_times_bare(report, way);
    if (way > 0 && has_bare(report) && !ratios.empty())
      text += fmt::format("; {:.2f} times the time of bare runs (geometric mean, {} programs)", geometric_mean(ratios),
                          ratios.size());
    text += '\n';
  }
  return text + fmt::format("- left out: {}\n- {}; {}; commit {}; device: {}\n", out, today(), machine_text(),
                            commit_text(), device.empty() ? "as found" : device);
}

std::vector<std::string> groups_of(const Report& report) {
  std::vector<std::string> groups;
  for (const Row& row : report.rows)
    if (std::find(groups.begin(), groups.end(), row.program->group) == groups.end())
      groups.push_back(row.program->group);
  return groups;
}

std::string arguments_of(const Program& program) {
  std::string text;
  for (const std::string& word : program.arguments) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string table_of(const Report& report, const std::string& group) {
  std::vector<base::Table::Column> columns{{"program"}, {"arguments"}};
  for (std::size_t way = 0; way < report.ways.size(); ++way) {
    columns.push_back({report.ways[way].title});
    if (way > 0 && has_bare(report)) columns.push_back({"times bare", base::Align::right});
  }
  base::Table table(columns);
  for (const Row& row : report.rows) {
    if (row.program->group != group) continue;
    std::vector<std::string> cells{row.program->name, escaped(arguments_of(*row.program))};
    if (row.judgements.empty()) cells.push_back("left out: " + escaped(row.program->left_out));
    for (std::size_t way = 0; way < row.judgements.size(); ++way) {
      cells.push_back(escaped(cell(row.judgements[way])));
      const double ratio = times_bare(row, way);
      if (way > 0 && has_bare(report)) cells.push_back(ratio > 0 ? fmt::format("{:.2f}", ratio) : "-");
    }
    table.add_row(std::move(cells));
  }
  return table.markdown();
}

std::string shortfalls(const Report& report, std::size_t way) {
  std::string text;
  for (const Verdict verdict : {Verdict::failed, Verdict::refused, Verdict::crashed, Verdict::timed_out})
    for (const Row& row : report.rows)
      if (way < row.judgements.size() && row.judgements[way].verdict == verdict)
        text += fmt::format("- {}: {}\n", row.program->name, cell(row.judgements[way]));
  return text.empty() ? text : fmt::format("\n## Not passed: {}\n\n{}", report.ways[way].title, text);
}

}  // namespace

Count count(const Report& report, std::size_t way) {
  Count count;
  for (const Row& row : report.rows) {
    count.counted += row.judgements.empty() ? 0 : 1;
    count.passed += passed(row, way) ? 1 : 0;
  }
  return count;
}

std::string cell(const Judgement& judgement) {
  if (judgement.verdict == Verdict::passed) return fmt::format("passed, {:.2f} s", judgement.seconds);
  return fmt::format("**{}**: {}", text_of(judgement.verdict), judgement.reason);
}

std::string markdown(const Report& report, const std::string& device) {
  std::string text = summary(report, device);
  for (const std::string& group : groups_of(report))
    text += (group.empty() ? "" : fmt::format("\n## {}", group)) + "\n\n" + table_of(report, group);
  for (std::size_t way = 0; way < report.ways.size(); ++way) text += shortfalls(report, way);
  return text;
}

void add_results(const Report& report, Results& results) {
  for (std::size_t way = 0; way < report.ways.size(); ++way) {
    const std::string& title = report.ways[way].title;
    const std::optional<Bar> bar =
        report.ways[way].front.empty() ? std::nullopt : std::optional(at_least(report.list.least_percent));
    results.add({title + ": programs that passed", count(report, way).percent(), "%", bar, ""});
    if (way == 0 || !has_bare(report)) continue;
    const std::vector<double> ratios = all_times_bare(report, way);
    if (!ratios.empty()) results.add({title + ": time, geometric mean", geometric_mean(ratios), "x", {}, "bare"});
  }
  for (const Row& row : report.rows)
    for (std::size_t way = 0; way < row.judgements.size(); ++way) {
      const std::string name = row.program->name + ": " + report.ways[way].title;
      const bool bare = report.ways[way].front.empty();
      results.add({name, passed(row, way) ? 1.0 : 0.0, "passed", bare ? std::nullopt : std::optional(at_least(1)), ""});
      if (const double ratio = times_bare(row, way); way > 0 && has_bare(report) && ratio > 0)
        results.add({name + ", time", ratio, "x", {}, "bare"});
    }
}

}  // namespace heddle::bench
