// Random kernels on every device: heddle_differential [N] [--seeds A:B] [--gpu | --no-gpu] ... (script/differential
// builds and runs it). Each kernel runs on the interpreter, the CPU device and the GPU, where there is one; their
// results are compared bit for bit. Exit code 0 when they agree.
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "device/cpu/cpu.hpp"
#include "device/cuda/cuda.hpp"
#include "random/differential/report.hpp"
#include "random/differential/worker.hpp"

namespace {

using namespace heddle;
using namespace heddle::test::random_kernel;

struct Options {
  std::uint64_t count = 1000;
  std::string seeds, json, work, devices;
  bool gpu = false, no_gpu = false, instructions = false, for_gpu = false;
  unsigned jobs = 0, range = 20, seconds = 60;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("count", options.count, "how many kernels")->capture_default_str();
  app.add_option("--seeds", options.seeds, "those of the seeds A to B-1 instead, as A:B");
  auto* gpu = app.add_flag("--gpu", options.gpu, "fail without a GPU; else one is used where it is there");
  app.add_flag("--no-gpu", options.no_gpu, "without the GPU")->excludes(gpu);
  app.add_flag("--instructions", options.instructions, "kernels of single instructions");
  app.add_flag("--for-gpu", options.for_gpu, "without what GPUs are known to do otherwise; always so with a GPU");
  app.add_option("--jobs", options.jobs, "processes at a time; 0: one for each core, at most 8 with a GPU");
  app.add_option("--range", options.range, "kernels of a process")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--seconds", options.seconds, "for one kernel on one device")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.add_option("--json", options.json, "a file for the results");
  app.add_option("--work", options.work)->group("");        // for its own processes: the seeds
  app.add_option("--devices", options.devices)->group("");  // and the devices
}

void read_range(const std::string& text, std::uint64_t& begin, std::uint64_t& end) {
  char* rest = nullptr;
  begin = std::strtoull(text.c_str(), &rest, 10);
  const bool good = *rest == ':' && rest != text.c_str() && rest[1] >= '0' && rest[1] <= '9';
  end = good ? std::strtoull(rest + 1, &rest, 10) : 0;
  if (!good || *rest != '\0' || end <= begin)
    throw CLI::ValidationError("--seeds", "'" + text + "' is no range of seeds, as 1000:2000");
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

unsigned cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return 1;
}

void show(const std::string& line) {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  static unsigned calls = 0;
  if (!terminal && calls++ % 10 != 0) return;
  std::fprintf(stderr, terminal ? "\r\x1b[K%s" : "%s\n", line.c_str());
  std::fflush(stderr);
}

int run(const Options& options) {
  std::string why;
  const bool has_gpu = !options.no_gpu && device::cuda::cuda_device_count(&why) > 0;
  if (options.gpu && !has_gpu) return std::fprintf(stderr, "no GPU: %s\n", why.c_str()), 2;
  RunInfo info;
  info.end = options.count;
  if (!options.seeds.empty()) read_range(options.seeds, info.begin, info.end);
  info.instructions = options.instructions;
  info.for_gpu = options.for_gpu || has_gpu;
  const char* commit = std::getenv("HEDDLE_COMMIT");
  info.commit = commit != nullptr ? commit : "unknown";
  info.device_names["interp"] = "PTX interpreter";
  info.device_names["cpu"] = device::cpu::make_cpu_device({.workers = 1})->info().name;
  if (has_gpu) info.device_names["cuda:0"] = device::cuda::make_cuda_device()->info().name;

  Plan plan;
  plan.begin = info.begin;
  plan.end = info.end;
  plan.range = options.range;
  plan.jobs = options.jobs > 0 ? options.jobs : has_gpu ? std::min(cores(), 8u) : cores();
  plan.patience = std::chrono::seconds(options.seconds);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  plan.command = [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<std::string> command = {self, "--work", std::to_string(begin) + ":" + std::to_string(end), "--devices",
                                        has_gpu ? "cpu,cuda:0" : "cpu"};
    if (info.instructions) command.push_back("--instructions");
    if (info.for_gpu) command.push_back("--for-gpu");
    return command;
  };
  plan.progress = [&](const Tally& tally) { show(progress_line(tally, info.end - info.begin)); };
  const Tally tally = run_all(plan);
  if (::isatty(STDERR_FILENO) != 0) std::fputs("\r\x1b[K", stderr);
  std::fputs(report_text(tally, info).c_str(), stdout);
  if (!options.json.empty()) {
    base::write_file_atomic(options.json, std::string_view(report_json(tally, info)));
    std::printf("%s\n", options.json.c_str());
  }
  return agrees(tally) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  CLI::App app(
      "Random kernels on the interpreter, the CPU device and the GPU, where there is one, compared bit for bit.");
  declare(app, options);
  try {
    app.parse(count, words);
    if (options.work.empty()) return run(options);
    Work work{0, 0, split(options.devices), options.instructions, options.for_gpu};
    read_range(options.work, work.begin, work.end);
    return do_work(work);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
