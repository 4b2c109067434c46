// Saxpy, FFT and the reduction on the CPU device against StarPU's tasks, in one run and in turn. Each turn is two runs,
// of which the second counts: StarPU's threads poll from the moment at which they resume, while Heddle's sleep until
// there is work, so that the first run of one side would pay for a pause that the other made before its clock started.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/skeleton.hpp"
#include "program.hpp"
#include "starpu/contender.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::bench::marrow;

std::filesystem::path kernels() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels"; }

// Ours against the other's; data of the other's own, of the same size.
void compare(Results& results, skeleton::Executor& executor, Program& program, Contender& other,
             const std::function<void()>& others, int rounds) {
  other.pause();
  program.fill();
  executor.tune(program.tree(), program.arguments());
  std::vector<double> ours, theirs, ratios;
  for (int round = -2; round < rounds; ++round) {  // two unmeasured
    program.run(executor);
    const double mine = time_once([&] { program.run(executor); });
    other.resume();
    others();
    const double its = time_once(others);
    other.pause();
    if (round < 0) continue;
    ours.push_back(mine);
    theirs.push_back(its);
    ratios.push_back(its / mine);
  }
  other.resume();
  // Pairs, as other programs on the machine slow down both of a pair. The fastest runs are those that they left alone.
  std::ranges::sort(ratios);
  const double ratio = median(ratios), fastest = std::ranges::min(theirs) / std::ranges::min(ours);
  fmt::print("  {}: {:.3f} ms, {} {:.3f} ms; pairs {:.2f}, half of them {:.2f} to {:.2f}; fastest runs {:.2f}\n",
             program.name(), 1e3 * median(ours), other.name(), 1e3 * median(theirs), ratio, ratios[ratios.size() / 4],
             ratios[ratios.size() * 3 / 4], fastest);
  results.add({program.name() + ", CPU", ratio, "x", at_least(1), other.name()});
  results.add({program.name() + ", CPU, fastest runs", fastest, "x", {}, other.name()});
}

// Whether the other's results are right too: a fast wrong one would be no bar.
std::string check_saxpy(Contender& other) {
  std::vector<float> x(1000), y(1000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 1;
  }
  other.saxpy(2, x.data(), y.data(), x.size())();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i] != 2 * x[i] + 1) return differs("y", i, y[i], 2 * x[i] + 1);
  return {};
}
std::string check_fft(Contender& other) {
  std::vector<Complex> signal(64 * 512);
  for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = {static_cast<float>(i % 17), static_cast<float>(i % 5)};
  const std::vector<Complex> before = signal;
  other.fft(signal.data(), 64)();
  for (std::size_t i = 0; i < signal.size(); ++i)
    if (!(std::abs(signal[i].re - before[i].re) < 1e-3f)) return differs("signal", i, signal[i].re, before[i].re);
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  std::string inputs = "middle", only;
  int rounds = 15;
  CLI::App app("Marrow's programs on the CPU against StarPU.");
  app.add_option("--inputs", inputs, "their sizes")->check(CLI::IsMember(input_names()))->capture_default_str();
  app.add_option("--rounds", rounds, "measured pairs")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--only", only, "one of them")->check(CLI::IsMember({"Saxpy", "FFT", "MapReduce"}));
  CLI11_PARSE(app, count, arguments);
  try {
    std::string why;
    const std::unique_ptr<Contender> other = open_starpu(why);
    if (!other) {
      fmt::print("NOT RUN: {}\n", why);
      return 0;
    }
    if (const std::string wrong = check_saxpy(*other) + check_fft(*other); !wrong.empty()) {
      fmt::print("WRONG: {}: {}\n", other->name(), wrong);
      return 1;
    }
    const Inputs sizes = inputs_named(inputs);
    Runtime runtime({.devices = "cpu"});
    const Module module = runtime.load_ptx_file(kernels() / "marrow.ptx");
    skeleton::Executor executor(runtime, {.knowledge = "none"});
    Results results("marrow");
    const auto is_wanted = [&](const char* name) { return only.empty() || only == name; };
    if (is_wanted("Saxpy")) {
      std::vector<float> x(sizes.saxpy, 0.5f), y(sizes.saxpy, 0.25f);
      compare(results, executor, *make_saxpy(runtime, module, sizes), *other,
              other->saxpy(2, x.data(), y.data(), x.size()), rounds);
    }
    if (is_wanted("FFT")) {
      std::vector<Complex> signal(sizes.transforms * 512, Complex{0.5f, 0.25f});
      compare(results, executor, *make_fft(runtime, module, sizes), *other, other->fft(signal.data(), sizes.transforms),
              rounds);
    }
    if (is_wanted("MapReduce")) {
      std::vector<float> x(sizes.reduce), y(sizes.reduce);
      for (std::size_t i = 0; i < x.size(); ++i) {  // as ours: equal values in a row take the loop longer
        x[i] = reduced_x(i);
        y[i] = reduced_y(i);
      }
      std::vector<unsigned> bins(64);
      double dot = 0;
      compare(results, executor, *make_map_reduce(runtime, module, sizes), *other,
              other->histogram_and_dot(x.data(), y.data(), x.size(), bins.data(), &dot), rounds);
    }
    return results.finish();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
