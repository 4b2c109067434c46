#include "placed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/table.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::grcuda {
namespace {

// What data that begin on the host can gain from a second link and a second GPU.
std::optional<Bar> bar_of(const std::string& benchmark) {
  if (benchmark == "B&S" || benchmark == "ML") return at_least(1.7);
  return std::nullopt;
}

std::string name_of(const PlacedRow& row) {
  return fmt::format("{}, {}, block {}", row.benchmark, row.size, row.block);
}

}  // namespace

Scheduling::Placement placement_named(const std::string& name) {
  const auto found = std::find(std::begin(placement_names), std::end(placement_names), name);
  if (found == std::end(placement_names)) throw std::invalid_argument("no policy of placement is " + name);
  return static_cast<Scheduling::Placement>(found - std::begin(placement_names));
}

double PlacedRow::ratio() const { return *std::min_element(measured.ratios.begin() + 1, measured.ratios.end()); }

Placed::Placed(const PlacedOptions& options, const std::filesystem::path& kernels)
    : options_(options),
      all_({.devices = options.devices, .scheduling = {.placement = options.placement}}),
      one_({.devices = all_.devices().at(0).id}),
      cut_{kernels, static_cast<unsigned>(all_.devices().size())},
      whole_{kernels} {
  if (cut_.parts < 2)
    throw std::invalid_argument(fmt::format("--devices wants two or more, and was given {}", options.devices));
}

bool Placed::on_gpus() const {
  const auto devices = all_.devices();
  return std::all_of(devices.begin(), devices.end(), [](const DeviceInfo& device) { return device.capability != 0; });
}

std::vector<PlacedRow> Placed::run(const Named& named, double gigabytes) {
  const auto bytes = static_cast<std::uint64_t>(gigabytes * 1e9);
  const auto cut = named.make(cut_, bytes);
  std::vector<std::unique_ptr<Form>> forms;
  forms.push_back(make_heddle_form(*cut, all_));
  forms.push_back(make_heddle_form(*cut, one_));
  if (cut->has_parts()) forms.push_back(make_heddle_form(*named.make(whole_, bytes), one_));
  std::vector<PlacedRow> rows;
  const unsigned processors = std::max(all_.devices().at(0).processors, 1u);
  for (const unsigned block : options_.blocks) {
    const Shape shape{options_.blocks_per_processor * processors, block};
    rows.push_back({named.name, fmt::format("{:g} GB", gigabytes), block,
                    measure(*cut, forms, shape, options_.effort, placed_forms)});
  }
  return rows;
}

std::string table(std::span<const PlacedRow> rows) {
  using base::Align;
  base::Table made({{"benchmark"},
                    {"size"},
                    {"block", Align::right},
                    {"all devices ms", Align::right},
                    {"one device ms", Align::right},
                    {"not cut ms", Align::right},
                    {"over one device", Align::right},
                    {"rounds", Align::right}});
  for (const PlacedRow& row : rows) {
    const Measured& m = row.measured;
    const auto cell = [&](std::size_t i) {
      return i < m.seconds.size() ? fmt::format("{:.3f}", m.seconds[i] * 1e3) : std::string("-");
    };
    made.add_row({row.benchmark, row.size, std::to_string(row.block), cell(0), cell(1), cell(2),
                  fmt::format("{:.3f}", row.ratio()), std::to_string(m.rounds) + (m.wrong.empty() ? "" : " WRONG")});
  }
  return made.text();
}

void add_results(std::span<const PlacedRow> rows, bool bars, Results& results) {
  std::vector<std::string> benchmarks;
  for (const PlacedRow& row : rows) {
    const std::string name = name_of(row);
    for (std::size_t i = 0; i < row.measured.seconds.size(); ++i)
      results.add({fmt::format("{}, {}", name, placed_forms[i]), row.measured.seconds[i] * 1e3, "ms", {}, ""});
    results.add({fmt::format("{}, over one device", name), row.ratio(), "x", {}, "one device"});
    if (std::find(benchmarks.begin(), benchmarks.end(), row.benchmark) == benchmarks.end())
      benchmarks.push_back(row.benchmark);
  }
  for (const std::string& benchmark : benchmarks) {
    std::vector<double> ratios;
    for (const PlacedRow& row : rows)
      if (row.benchmark == benchmark) ratios.push_back(row.ratio());
    results.add({benchmark + ", over one device", geometric_mean(ratios), "x", bars ? bar_of(benchmark) : std::nullopt,
                 "one device"});
  }
}

}  // namespace heddle::bench::grcuda
