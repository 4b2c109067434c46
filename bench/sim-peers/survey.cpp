#include "survey.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "compat/process.hpp"
#include "gpgpusim.hpp"

namespace heddle::bench::peers {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* simulators[] = {"gpgpu-sim", "heddle"};

const char* name_of(comparison::Sizes sizes) { return sizes == comparison::Sizes::full ? "full" : "small"; }

Figures run_once(const Survey& survey, const std::string& simulator, const std::string& kernel) {
  base::TemporaryFolder folder;
  folder.create("sim-peers");
  const bool gpgpusim = simulator == simulators[0];
  const fs::path with = gpgpusim ? prepare_gpgpusim(survey.checkout, folder.path()) : survey.machine;
  const Ended ended =
      run_to_end({.words = {survey.program, "one", simulator, kernel, with.string(), name_of(survey.sizes)},
                  .folder = folder.path(),
                  .seconds = survey.seconds},
                 folder.path() / "log");
  const std::string tail = ended.output.substr(ended.output.size() - std::min<std::size_t>(ended.output.size(), 300));
  if (ended.timed_out) throw std::runtime_error(fmt::format("ended after {:.0f} s", ended.seconds));
  if (ended.code != 0) throw std::runtime_error(ended.not_started.empty() ? tail : ended.not_started);
  const json made = json::parse(base::read_file(folder.path() / "figures.json"));
  Figures figures{made["cycles"], made["thread_instructions"], made["warp_instructions"], made["seconds"]};
  if (gpgpusim) {
    figures.cycles = printed_figure(ended.output, "gpu_sim_cycle");
    figures.thread_instructions = printed_figure(ended.output, "gpu_sim_insn");
  }
  return figures;
}

using Key = std::pair<std::string, std::string>;  // simulator, kernel

std::map<Key, Figures> kept_figures(const fs::path& file) {
  std::map<Key, Figures> all;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const json row = json::parse(line);
    all[{row["simulator"], row["kernel"]}] = {row["cycles"], row["thread_instructions"], row["warp_instructions"],
                                              row["seconds"]};
  }
  return all;
}

void keep(const fs::path& file, const Key& key, const Figures& figures) {
  const json row = {{"simulator", key.first},
                    {"kernel", key.second},
                    {"cycles", figures.cycles},
                    {"thread_instructions", figures.thread_instructions},
                    {"warp_instructions", figures.warp_instructions},
                    {"seconds", figures.seconds}};
  std::ofstream out(file, std::ios::app);
  if (!(out << row.dump() << '\n' << std::flush)) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace

std::vector<Row> run_survey(const Survey& survey, const std::vector<std::string>& kernels) {
  std::map<Key, Figures> figures = kept_figures(survey.rows);
  std::vector<std::string> all{"nothing"};
  all.insert(all.end(), kernels.begin(), kernels.end());
  for (const std::string& kernel : all) {
    for (const char* simulator : simulators) {
      const Key key{simulator, kernel};
      if (figures.contains(key)) continue;
      try {
        keep(survey.rows, key, figures[key] = run_once(survey, simulator, kernel));
        fmt::print("{:<14} on {:<9} {:>12.0f} cycles, {:8.2f} s\n", kernel, simulator, figures[key].cycles,
                   figures[key].seconds);
      } catch (const std::exception& error) {
        figures.erase(key);
        fmt::print("{:<14} on {:<9} left out: {}\n", kernel, simulator, error.what());
      }
      std::fflush(stdout);
    }
  }
  std::vector<Row> rows;
  const auto find = [&](const char* simulator, const std::string& kernel) -> std::optional<Figures> {
    const auto found = figures.find({simulator, kernel}), empty = figures.find({simulator, "nothing"});
    if (found == figures.end() || empty == figures.end()) return std::nullopt;
    Figures made = found->second;
    made.cycles -= empty->second.cycles;
    return made;
  };
  for (const std::string& kernel : kernels) {
    const auto theirs = find(simulators[0], kernel), ours = find(simulators[1], kernel);
    if (theirs && ours) rows.push_back({kernel, *ours, *theirs});
  }
  return rows;
}

}  // namespace heddle::bench::peers
