// How fast the simulated GPU is, with one host thread and with two, and how much memory it takes.
//
//   sim_speed [--size N] [--rounds N] [--machine NAME] [--processor-time]
//
// With --processor-time the time of all threads on the processor is measured, for busy machines, and no file is
// written. Each figure is the median of the rounds; the spread is printed beside it.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/fail.hpp"
#include "product.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;

struct Settings {
  std::uint32_t size = 256;
  int rounds = 5;
  std::string machine = "fermi-gtx480";
  bool processor_time = false;
};

struct Measured {
  double rate = 0;  // warp instructions a second, the median
  device::sim::Cycle cycles = 0;
  double bytes_per_thread = 0;
};

Measured measure(const std::shared_ptr<const ptx::Module>& module, const Settings& settings, const std::string& memory,
                 unsigned threads) {
  const std::string device = fmt::format("sim:{},memory={},threads={}", settings.machine, memory, threads);
  Measured result;
  std::vector<double> rates;
  for (int i = 0; i <= settings.rounds; ++i) {
    const bench::ProductRun run = bench::run_product(module, device, settings.size);
    if (i != 0 && run.statistics.cycles() != result.cycles)
      fmt::print("{}: {} cycles, before {}\n", device, run.statistics.cycles(), result.cycles);
    result.cycles = run.statistics.cycles();
    result.bytes_per_thread = run.simulator_bytes / static_cast<double>(run.resident_threads);
    if (i == 0) continue;  // warms up
    const double seconds = settings.processor_time ? run.processor_seconds : run.seconds;
    rates.push_back(static_cast<double>(run.statistics.sm.warp_instructions) / seconds);
  }
  result.rate = bench::median(rates);
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  fmt::print("{:44} {:10.0f} warp instructions/s ({:.0f} to {:.0f}), {} cycles\n", device, result.rate, *least, *most,
             result.cycles);
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("How fast the simulated GPU is, and how much memory it takes.");
  app.add_option("--size", settings.size, "rows of the matrices, a multiple of 16");
  app.add_option("--rounds", settings.rounds, "measured launches of each kind")->check(CLI::PositiveNumber);
  app.add_option("--machine", settings.machine, "the simulated machine");
  app.add_flag("--processor-time", settings.processor_time, "measure time on the processor");
  CLI11_PARSE(app, count, arguments);
  const auto module = bench::product_module();
  bench::Results results("sim");
  for (const std::string memory : {"full", "ideal"}) {
    const std::string what = fmt::format("product n={} on {}, memory={}: ", settings.size, settings.machine, memory);
    const Measured one = measure(module, settings, memory, 1), two = measure(module, settings, memory, 2);
    results.add({what + "one host thread", one.rate, "warp instructions/s", bench::at_least(500'000), ""});
    results.add({what + "two host threads", two.rate / one.rate, "x", bench::at_least(1.6), "one"});
    results.add({what + "cycles that differ",
                 one.cycles > two.cycles ? static_cast<double>(one.cycles - two.cycles)
                                         : static_cast<double>(two.cycles - one.cycles),
                 "cycles", bench::at_most(0), "one host thread"});
    results.add({what + "memory of a resident thread", one.bytes_per_thread, "B", bench::at_most(200), ""});
  }
  if (!settings.processor_time) return results.finish();
  fmt::print("{}\n", results.table());
  return 0;
}
