// LithOS's experiments: tenants that share a GPU, in virtual time, under the dispatcher and its policies.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <functional>
#include <map>

#include "experiments.hpp"

int main(int count, char** arguments) {
  using namespace heddle::bench;
  using namespace heddle::bench::lithos;
  Settings settings;
  std::string only;
  CLI::App app("LithOS's experiments on a GPU in virtual time");
  app.add_option("--requests", settings.requests, "of the latency tenant in each run (default 1000)");
  app.add_option("--eight", settings.eight, "requests of eight tenants together (default 100000)");
  app.add_option("--seed", settings.seed, "of the arrivals (default 1)");
  app.add_option("--only", only, "hybrid, inference, alone, sizing or eight");
  CLI11_PARSE(app, count, arguments);
  const std::map<std::string, std::function<void(const Settings&, Results&)>> experiments = {
      {"hybrid", hybrid}, {"inference", inference}, {"alone", alone}, {"sizing", sizing}, {"eight", eight}};
  if (!only.empty() && !experiments.contains(only)) {
    fmt::print(stderr, "there is no experiment '{}'; there are hybrid, inference, alone, sizing and eight\n", only);
    return 2;
  }
  Results results("lithos");
  results.also_on("a GPU of 66 TPCs in virtual time");
  for (const auto& [name, experiment] : experiments)
    if (only.empty() || only == name) experiment(settings, results);
  return results.finish();
}
