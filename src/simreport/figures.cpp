#include "simreport/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/table.hpp"

namespace heddle::simreport {
namespace {

constexpr std::size_t most_lines = 12;  // of the hottest

std::string count(double value) { return base::format_count(static_cast<std::uint64_t>(value)); }

// Parts of a whole, each as a figure of per cent; those of none are left out.
void add_shares(std::vector<Figure>& rows, const std::string& head, const std::vector<std::string>& names,
                const std::vector<double>& parts, double all) {
  for (std::size_t i = 0; i < parts.size() && i < names.size(); ++i)
    if (parts[i] != 0) rows.push_back({head + names[i], share(parts[i], all), "%"});
}

void add_memory(std::vector<Figure>& rows, const Launch& launch) {
  const MemoryFigures& m = launch.memory;
  if (!m.modelled) return;
  const double accesses = m.global_accesses + m.local_accesses;
  if (accesses != 0) {
    rows.push_back({"transactions an access", fmt::format("{:.2f}", m.transactions / accesses), ""});
    rows.push_back({"useful of moved bytes", share(m.useful_bytes, m.transaction_bytes), "%"});
  }
  if (m.shared_accesses != 0)
    rows.push_back({"passes a shared access", fmt::format("{:.2f}", m.shared_passes / m.shared_accesses), ""});
  if (m.l1.look_ups() != 0) rows.push_back({"L1 hits", share(m.l1.hits, m.l1.look_ups()), "%"});
  if (m.l2.look_ups() != 0) rows.push_back({"L2 hits", share(m.l2.hits, m.l2.look_ups()), "%"});
  rows.push_back({"DRAM bytes", count(m.dram_bytes), "B"});
  rows.push_back({"DRAM used", share(m.dram_utilisation, 1), "%"});
  const double rows_all = m.row_hits + m.row_misses + m.row_conflicts;
  if (rows_all != 0) rows.push_back({"DRAM row hits", share(m.row_hits, rows_all), "%"});
}

// Cycles and time; of a sampled launch with their interval, and what the other figures are of.
std::vector<Figure> times_of(const Launch& launch) {
  const Sample& sample = launch.sample;
  std::vector<Figure> rows;
  if (!sample.estimated()) {
    rows = {{"cycles", count(launch.cycles), ""}, {"time", base::format_duration(launch.seconds), ""}};
    if (sample.asked) rows.push_back({"sampled", "no: " + sample.refusal, ""});
    return rows;
  }
  const auto seconds = [&](double cycles) { return base::format_duration(launch.seconds * cycles / launch.cycles); };
  const std::string level = fmt::format("estimate; {:.0f} % interval ", 100 * sample.confidence);
  return {
      {"cycles", fmt::format("~{} ({}{} to {})", count(launch.cycles), level, count(sample.low), count(sample.high)),
       ""},
      {"time",
       fmt::format("~{} ({}{} to {})", seconds(launch.cycles), level, seconds(sample.low), seconds(sample.high)), ""},
      {"sampled", fmt::format("{} of {} blocks", count(sample.blocks), count(sample.of_blocks)), ""},
      {"cycles of sampled blocks", count(sample.simulated_cycles), ""}};
}

std::string lines_text(const Machine& machine, const Launch& launch) {
  std::vector<Line> lines = launch.source.empty() ? launch.ptx : launch.source;
  double all = 0;
  for (const Line& line : lines) all += line.all_cycles();
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.all_cycles() > b.all_cycles(); });
  if (lines.size() > most_lines) lines.resize(most_lines);
  base::Table table({{"% of warps' cycles", base::Align::right},
                     {"issues", base::Align::right},
                     {"mostly"},
                     {"line", base::Align::right},
                     {"text"}});
  for (const Line& line : lines) {
    const auto most = std::max_element(line.cycles.begin(), line.cycles.end()) - line.cycles.begin();
    std::string text = line.text.substr(std::min(line.text.find_first_not_of(" \t"), line.text.size()));
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    table.add_row({share(line.all_cycles(), all), count(line.issues),
                   machine.warp_uses.at(static_cast<std::size_t>(most)), line.place, text});
  }
  return table.text();
}

}  // namespace

std::string share(double part, double all) { return fmt::format("{:.1f}", all == 0 ? 0 : 100 * part / all); }

std::string shape_of(const Launch& launch) {
  const auto [x, y, z] = launch.grid;
  std::string grid = std::to_string(x);
  if (y > 1 || z > 1) grid += "x" + std::to_string(y);
  if (z > 1) grid += "x" + std::to_string(z);
  return grid + (grid == "1" ? " block of " : " blocks of ") +
         base::counted(launch.block[0] * launch.block[1] * launch.block[2], "thread");
}

std::vector<Figure> figures_of(const Machine& machine, const Launch& launch) {
  std::vector<Figure> rows = times_of(launch);
  rows.insert(rows.end(), {{"warp instructions", count(launch.warp_instructions), ""},
                           {"IPC, threads", fmt::format("{:.2f}", launch.ipc), ""},
                           {"occupancy", share(launch.occupancy, 1), "%"},
                           {"SIMD efficiency", share(launch.simd_efficiency, 1), "%"}});
  add_shares(rows, "slots: ", machine.slot_uses, launch.sm.uses, launch.sm.slots);
  for (std::size_t i = 0; i < machine.pipes.size(); ++i) {
    const double all = launch.sm.pipe_counts[i] * launch.sm.cycles / std::max(machine.sms, 1.0);
    if (launch.sm.pipe_cycles[i] != 0)
      rows.push_back({"pipe busy: " + machine.pipes[i], share(launch.sm.pipe_cycles[i], all), "%"});
  }
  const double operations = launch.f32_operations + launch.f64_operations;
  if (operations != 0 && launch.simulated_seconds > 0)
    rows.push_back({"floating point", fmt::format("{:.1f}", operations / launch.simulated_seconds * 1e-9), "Gflop/s"});
  add_memory(rows, launch);
  return rows;
}

std::vector<KernelSum> sums_of(const Run& run) {
  std::vector<KernelSum> sums;
  for (const Launch& launch : run.launches) {
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const KernelSum& sum) {
      return sum.first->kernel == launch.kernel && sum.first->grid == launch.grid && sum.first->block == launch.block;
    });
    KernelSum& sum = known == sums.end() ? sums.emplace_back() : *known;
    if (!sum.first) sum.first = &launch;
    ++sum.launches;
    sum.cycles += launch.cycles;
    sum.estimated += launch.sample.estimated() ? 1 : 0;
  }
  return sums;
}

std::string text_of(const KernelSum& sum) {
  std::string text = fmt::format("{} launches, {} cycles together", sum.launches, count(sum.cycles));
  if (sum.estimated != 0) text += fmt::format(" ({} of them by estimate)", sum.estimated);
  return text;
}

std::string sample_note(const Launch& launch) {
  if (!launch.sample.estimated()) return {};
  return fmt::format(
      "Sampled: {} waves of blocks were simulated. Cycles and time are estimates of the whole launch; all other "
      "figures "
      "are those of the simulated blocks.",
      launch.sample.waves);
}

std::string report_text(const Run& run) {
  std::string text = fmt::format("{}: {}\n", run.machine.id, run.machine.title);
  for (const KernelSum& sum : sums_of(run)) {
    const Launch& launch = *sum.first;
    text += fmt::format("\n{}: {}\n", launch.kernel, shape_of(launch));
    if (sum.launches > 1) text += text_of(sum) + "; the first one:\n";
    if (const std::string note = sample_note(launch); !note.empty()) text += note + "\n";
    if (!launch.failure.empty()) text += "failed: " + launch.failure + "\n";
    base::Table table({{"figure"}, {"value", base::Align::right}, {""}});
    for (const Figure& figure : figures_of(run.machine, launch))
      table.add_row({figure.name, figure.value, figure.unit});
    text += table.text() + "\n" + lines_text(run.machine, launch);
  }
  if (run.launches.empty()) text += "no launches\n";
  return text;
}

std::string compare_text(const std::vector<Run>& runs) {
  std::string text;
  std::size_t most = 0;
  for (const Run& run : runs) most = std::max(most, sums_of(run).size());
  for (std::size_t kernel = 0; kernel < most; ++kernel) {
    std::vector<base::Table::Column> columns{{"figure"}, {""}};
    std::vector<std::string> names;
    std::vector<std::vector<Figure>> all;
    for (const Run& run : runs) {
      columns.push_back({run.machine.id, base::Align::right});
      const auto sums = sums_of(run);
      all.push_back(kernel < sums.size() ? figures_of(run.machine, *sums[kernel].first) : std::vector<Figure>{});
      if (kernel < sums.size()) names.push_back(sums[kernel].first->kernel + ": " + shape_of(*sums[kernel].first));
    }
    std::string head;
    for (const std::string& name : std::set<std::string>(names.begin(), names.end()))
      head += (head.empty() ? "" : "; ") + name;
    base::Table table(std::move(columns));
    std::vector<std::pair<std::string, std::string>> rows;  // in the order of the first run that has them
    for (const auto& figures : all)
      for (const Figure& figure : figures)
        if (std::find(rows.begin(), rows.end(), std::pair{figure.name, figure.unit}) == rows.end())
          rows.emplace_back(figure.name, figure.unit);
    for (const auto& [name, unit] : rows) {
      std::vector<std::string> cells{name, unit};
      for (const auto& figures : all) {
        const auto found =
            std::find_if(figures.begin(), figures.end(), [&](const Figure& one) { return one.name == name; });
        cells.push_back(found == figures.end() ? "-" : found->value);
      }
      table.add_row(std::move(cells));
    }
    text += (kernel == 0 ? "" : "\n") + head + "\n" + table.text();
  }
  return text;
}

}  // namespace heddle::simreport
