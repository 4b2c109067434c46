// How the compile path grows with its input: processor time and memory at several sizes of many kinds of PTX.
// Usage: compile_scaling [PART OF A NAME ...]; without arguments all. Each measurement is a process of its own.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu/cpu.hpp"
#include "device/interp/interp.hpp"
#include "heddle/error.hpp"
#include "inputs.hpp"
#include "ptx/analysis/inspect.hpp"
#include "ptx/parser.hpp"
#include "ptx/verifier.hpp"
#include "support/results.hpp"

namespace {

using namespace heddle;

constexpr rlim_t most_seconds = 120;
// Twice the size takes twice the time, and a logarithm; four times the time were quadratic.
constexpr double most_growth = 3;
constexpr double least_seconds = 0.1;  // less says nothing about growth

void prepare(device::Device& device, const std::string& text) {
  const auto module = device.load(std::make_shared<ptx::Module>(ptx::parse(text, "bench")), {});
  module->function("k").prepare({32});
}

void work(bench::Way way, const std::string& text) {
  switch (way) {
    case bench::Way::inspect: {
      const ptx::Module module = ptx::parse(text, "bench");
      ptx::verify(module, "bench");
      ptx::analysis::to_text(ptx::analysis::inspect(module));
      break;
    }
    case bench::Way::cpu: prepare(*device::cpu::make_cpu_device({.workers = 1, .cache = false}), text); break;
    case bench::Way::interp: prepare(*device::interp::make_interp_device(), text); break;
  }
}

struct Cost {
  bool finished = false;
  double seconds = 0, mebibytes = 0;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Cost measure(bench::Way way, const std::string& text) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorCode::io_error, "cannot start a process");
  if (child == 0) {
    const rlimit limit{most_seconds, most_seconds};
    ::setrlimit(RLIMIT_CPU, &limit);
    try {
      work(way, text);
    } catch (const std::exception& error) {
      fmt::print(stderr, "error: {}\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

const char* name(bench::Way way) {
  return way == bench::Way::inspect ? "inspect" : way == bench::Way::cpu ? "CPU device" : "interpreter";
}

void add_rows(bench::Results& results, const bench::Input& input) {
  const std::string what = fmt::format("{}, {}", name(input.way), input.name);
  std::vector<double> times;
  for (std::size_t i = 0; i < input.sizes.size(); ++i) {
    const Cost cost = measure(input.way, input.make(input.sizes[i]));
    const std::string row = fmt::format("{}, {}", what, input.sizes[i]);
    if (!cost.finished) fmt::print("  {}: not finished after {:.0f} s\n", row, cost.seconds);
    // What did not finish takes longer than was waited.
    const double time = cost.finished ? cost.seconds : static_cast<double>(most_seconds);
    const auto time_bar = input.seconds.empty() ? std::optional<bench::Bar>() : bench::at_most(input.seconds[i]);
    const auto memory_bar = input.mebibytes ? bench::at_most(*input.mebibytes) : std::optional<bench::Bar>();
    results.add({row, time, "s", time_bar, ""});
    results.add({row + ", memory", cost.mebibytes, "MiB", memory_bar, ""});
    times.push_back(time);
  }
  if (!input.seconds.empty()) return;
  const double before = std::max(times[times.size() - 2], least_seconds), after = std::max(times.back(), least_seconds);
  results.add({what + ", twice the size", after / before, "x", bench::at_most(most_growth), ""});
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> wanted(arguments + 1, arguments + count);
  try {
    bench::Results results("compile-scaling");
    for (const bench::Input& input : bench::inputs()) {
      const std::string what = fmt::format("{}, {}", name(input.way), input.name);
      const auto is_part = [&](const std::string& part) { return what.find(part) != std::string::npos; };
      if (wanted.empty() || std::any_of(wanted.begin(), wanted.end(), is_part)) add_rows(results, input);
    }
    return results.finish();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
