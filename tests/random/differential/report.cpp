#include "random/differential/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/table.hpp"

namespace heddle::test::random_kernel {
namespace {

bool is_gpu(const std::string& id) { return id.starts_with("cuda:"); }

// The verdicts that a seed list is printed for.
constexpr Verdict listed[] = {Verdict::different, Verdict::failed,  Verdict::invalid,
                              Verdict::crashed,   Verdict::endless, Verdict::refused};
constexpr std::size_t most_listed = 40;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string seed_list(const std::string& id, const DeviceTally& device, Verdict verdict) {
  std::string text;
  std::size_t shown = 0;
  for (const Result& result : device.remarkable) {
    if (result.comparison.verdict != verdict || ++shown > most_listed) continue;
    text += fmt::format("  {} {}\n", result.seed, first_line(result.comparison.text));
  }
  if (shown == 0) return {};
  if (shown > most_listed) text += fmt::format("  and {} more\n", shown - most_listed);
  return fmt::format("{}, {}:\n{}", id, name(verdict), text);
}

}  // namespace

bool agrees(const Tally& tally) {
  if (!tally.broken.empty()) return false;
  for (const auto& [id, device] : tally.devices) {
    for (const Verdict verdict : {Verdict::different, Verdict::failed, Verdict::invalid})
      if (device.count(verdict) > 0) return false;
    if (!is_gpu(id) && device.count(Verdict::crashed) + device.count(Verdict::endless) > 0) return false;
  }
  return true;
}

std::string progress_line(const Tally& tally, std::uint64_t seeds) {
  std::uint64_t counts[verdict_count] = {};
  for (const auto& [id, device] : tally.devices)
    for (int i = 0; i < verdict_count; ++i) counts[i] += device.counts[i];
  std::string text = fmt::format("{} of {} kernels, {:.0f} s", tally.seeds_done, seeds, tally.seconds);
  for (int i = 0; i < verdict_count; ++i)
    if (static_cast<Verdict>(i) != Verdict::equal && counts[i] > 0)
      text += fmt::format(", {} {}", counts[i], name(static_cast<Verdict>(i)));
  return text;
}

std::string report_text(const Tally& tally, const RunInfo& info) {
  std::vector<base::Table::Column> columns = {{"device"}, {"kernels", base::Align::right}};
  for (int i = 0; i < verdict_count; ++i) columns.push_back({name(static_cast<Verdict>(i)), base::Align::right});
  base::Table table(columns);
  std::string lists;
  for (const auto& [id, device] : tally.devices) {
    std::vector<std::string> row = {id, std::to_string(device.kernels())};
    for (const std::uint64_t count : device.counts) row.push_back(count > 0 ? std::to_string(count) : "-");
    table.add_row(row);
    for (const Verdict verdict : listed) lists += seed_list(id, device, verdict);
  }
  std::string text = fmt::format(
      "seeds {} to {}{}{}, in {}\n", info.begin, info.end - 1, info.instructions ? ", single instructions" : "",
      info.for_gpu ? ", without what GPUs are known to do otherwise" : "", base::format_duration(tally.seconds));
  text += table.text();
  if (!tally.broken.empty()) text += "NOT COMPLETE: " + tally.broken + "\n";
  return text + lists;
}

std::string report_json(const Tally& tally, const RunInfo& info) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::object();
  for (const auto& [id, device] : tally.devices) {
    nlohmann::ordered_json& own = devices[id];
    const auto named = info.device_names.find(id);
    own["name"] = named != info.device_names.end() ? named->second : id;
    for (int i = 0; i < verdict_count; ++i) own[name(static_cast<Verdict>(i))] = device.counts[i];
    own["seeds"] = nlohmann::ordered_json::array();
    for (const Result& result : device.remarkable)
      own["seeds"].push_back(
          {{"seed", result.seed}, {"verdict", name(result.comparison.verdict)}, {"text", result.comparison.text}});
  }
  const nlohmann::ordered_json all = {{"begin", info.begin},
                                      {"end", info.end},
                                      {"kernels", info.instructions ? "single instructions" : "general"},
                                      {"for_gpu", info.for_gpu},
                                      {"seconds", tally.seconds},
                                      {"commit", info.commit},
                                      {"complete", tally.broken.empty()},
                                      {"agrees", agrees(tally)},
                                      {"devices", devices}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::test::random_kernel
