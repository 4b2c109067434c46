// LithOS's experiments on a device: tenants of one process under Heddle's policies. Without a GPU it says so and ends;
// on the CPU device: lithos_gpu --device cpu --scale 0.3
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <mutex>
#include <vector>

#include "gpu/experiments.hpp"
#include "gpu/watchdog.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::bench::lithos_gpu;

struct Experiment {
  const char* name;
  void (*run)(Bench&, Table&);
};

// Those that are most wanted come first.
constexpr Experiment experiments[] = {{"placement", placement}, {"alone", alone},    {"hybrid", hybrid},
                                      {"long", longest},        {"three", three},    {"flood", flood},
                                      {"sizing", sizing},       {"scaling", scaling}};

Settings parse(int count, char** arguments) {
  Settings settings;
  CLI::App app("LithOS's experiments on a device");
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments) names.emplace_back(experiment.name);
  app.add_option("--device", settings.device, "its id")->capture_default_str();
  app.add_option("--workers", settings.workers, "of the CPU device");
  app.add_option("--seconds", settings.seconds, "that a run is measured for")->capture_default_str();
  app.add_option("--warm-up", settings.warm_up, "seconds before that")->capture_default_str();
  app.add_option("--load", settings.load, "of the tenant that serves, of what it can do alone")->capture_default_str();
  app.add_option("--limit", settings.limit, "seconds, of the whole program")->capture_default_str();
  app.add_option("--seed", settings.seed, "of the arrivals")->capture_default_str();
  app.add_option("--scale", settings.scale, "of the models' times")->capture_default_str();
  app.add_option("--only", settings.only, "experiments, comma separated")->delimiter(',')->check(CLI::IsMember(names));
  app.add_option("--policies", settings.policies, "of the comparisons, comma separated")->delimiter(',');
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return settings;
}

bool wanted(const Settings& settings, const std::string& name) {
  return settings.only.empty() || std::ranges::find(settings.only, name) != settings.only.end();
}

// Whether all that were run have ended without an error.
bool run_all(Bench& bench, Results& results, std::mutex& mutex, Watchdog& watchdog) {
  bool right = true;
  for (const Experiment& experiment : experiments) {
    if (!wanted(bench.settings(), experiment.name)) continue;
    watchdog.now_in(experiment.name);
    const double start = now();
    Results own("lithos_gpu");
    Table table(own, fmt::format("on a device, {}, ", experiment.name));
    try {
      experiment.run(bench, table);
    } catch (const std::exception& error) {  // what the others measure counts
      fmt::print("FAILED: {}: {}\n", experiment.name, error.what());
      table.print(experiment.name);
      right = false;
    }
    fmt::print("{}: {:.1f} s, {:.0f} s are left\n", experiment.name, now() - start, watchdog.left());
    std::fflush(stdout);
    const std::lock_guard lock(mutex);
    for (const Result& row : own.all()) results.add(row);
  }
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  const Settings settings = parse(count, arguments);
  Results results("lithos_gpu");
  std::mutex mutex;
  try {
    try {
      check_device(settings);
    } catch (const Error& error) {
      fmt::print("nothing is measured: {}\n", error.what());
      return 0;
    }
    Watchdog watchdog(settings.limit, [&] {
      const std::lock_guard lock(mutex);
      results.write();
    });
    Bench bench(settings);
    results.also_on(bench.bare().info().name);
    const bool right = run_all(bench, results, mutex, watchdog);
    const std::lock_guard lock(mutex);
    return results.finish() | (right ? 0 : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
