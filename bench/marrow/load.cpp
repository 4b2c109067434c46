// A change of the CPU's load while a program runs (Marrow, section 4.3 of its evaluation): threads of heavy arithmetic
// start at run 50 and end at run 150.
//   load --devices cuda:0,cpu --threads 8
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "program.hpp"
#include "support/results.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::bench::marrow;

constexpr int load_begins = 50, load_ends = 150, runs = 250, most_runs = 15;

// Threads that keep the CPU busy until they are destroyed.
class Burners {
 public:
  explicit Burners(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        double value = 1;
        while (!stop_.load(std::memory_order_relaxed))
          for (int k = 0; k < 10'000; ++k) value = std::sqrt(value * 1.0001 + 0.5);
        sink_.store(value);
      });
  }
  ~Burners() {
    stop_.store(true);
    for (std::thread& thread : threads_) thread.join();
  }
  Burners(const Burners&) = delete;
  Burners& operator=(const Burners&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::atomic<double> sink_{0};
  std::vector<std::thread> threads_;
};

struct Run {
  double seconds, share, deviation;
};

// The shortest type of device over the longest; 1 where only one has work.
double deviation(const skeleton::Report& report, const Runtime& runtime) {
  double gpu = 0, cpu = 0;
  for (const skeleton::PartReport& part : report.parts) {
    const DeviceInfo device = runtime.device(part.device).info();
    double& longest = device.capability != 0 || device.simulated ? gpu : cpu;
    longest = std::max(longest, part.seconds);
  }
  return gpu == 0 || cpu == 0 ? 1 : std::min(gpu, cpu) / std::max(gpu, cpu);
}

std::vector<Run> follow(Program& program, skeleton::Executor& executor, const Runtime& runtime, unsigned threads) {
  std::vector<Run> list;
  std::unique_ptr<Burners> burners;
  for (int i = 0; i < runs; ++i) {
    if (i == load_begins) burners = std::make_unique<Burners>(threads);
    if (i == load_ends) burners.reset();
    const skeleton::Report report = program.run(executor);
    list.push_back({report.seconds, report.gpu_share, deviation(report, runtime)});
  }
  return list;
}

// Runs from `begin` on until one is balanced and so are two thirds of the ten that follow: a single one may be luck.
int until_balanced(const std::vector<Run>& list, int begin) {
  for (int i = begin; i + 10 < static_cast<int>(list.size()); ++i) {
    if (list[static_cast<std::size_t>(i)].deviation < 0.85) continue;
    const auto first = list.begin() + i;
    if (std::count_if(first, first + 10, [](const Run& run) { return run.deviation >= 0.85; }) >= 7) return i - begin;
  }
  return runs;
}

double mean_seconds(const std::vector<Run>& list) {
  double sum = 0;
  for (int i = load_begins + most_runs; i < load_ends; ++i) sum += list[static_cast<std::size_t>(i)].seconds;
  return sum / (load_ends - load_begins - most_runs);
}

std::filesystem::path kernels() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels"; }

}  // namespace

int main(int count, char** arguments) {
  std::string devices = "cuda:0,cpu", inputs = "small", json;
  unsigned threads = std::thread::hardware_concurrency();
  CLI::App app("The CPU's load changes while FFT runs.");
  app.add_option("--devices", devices, "a GPU and the CPU")->capture_default_str();
  app.add_option("--inputs", inputs, "size")->check(CLI::IsMember(input_names()))->capture_default_str();
  app.add_option("--threads", threads, "threads of the load")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--json", json, "the figures, as a file");
  CLI11_PARSE(app, count, arguments);
  try {
    Runtime runtime({.devices = devices});
    const Module module = runtime.load_ptx_file(kernels() / "marrow.ptx");
    const auto program = make_fft(runtime, module, inputs_named(inputs));
    program->fill();
    skeleton::Executor executor(runtime, {.knowledge = "none"});
    executor.tune(program->tree(), program->arguments());
    double share = 0;
    for (int i = 0; i < 20; ++i) share = program->run(executor).gpu_share;
    const std::vector<Run> adapted = follow(*program, executor, runtime, threads);
    skeleton::Executor frozen_executor(runtime, {.knowledge = "none", .gpu_share = share});
    const std::vector<Run> frozen = follow(*program, frozen_executor, runtime, threads);
    for (int i = 0; i < runs; i += 5)
      fmt::print("  run {}: share {:.1f} %, {:.3f} ms, deviation {:.2f}; frozen {:.3f} ms\n", i,
                 100 * adapted[static_cast<std::size_t>(i)].share, 1e3 * adapted[static_cast<std::size_t>(i)].seconds,
                 adapted[static_cast<std::size_t>(i)].deviation, 1e3 * frozen[static_cast<std::size_t>(i)].seconds);
    Results results("marrow");
    const std::string name = "load on " + devices;
    results.add({name + ", runs until balanced", static_cast<double>(until_balanced(adapted, load_begins)), "runs",
                 at_most(most_runs), fmt::format("{} threads", threads)});
    results.add({name + ", runs until balanced after it", static_cast<double>(until_balanced(adapted, load_ends)),
                 "runs", at_most(most_runs), ""});
    results.add({name + ", time after settling", mean_seconds(frozen) / mean_seconds(adapted), "x", at_least(1.1),
                 "split frozen"});
    if (!json.empty()) base::write_file_atomic(json, std::string_view(results.json()));
    return results.finish();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
