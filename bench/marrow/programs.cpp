// Marrow's five benchmarks and one with a reduction, on the devices of this machine, with data on the host:
//   programs --devices cuda:0,cpu --inputs middle --json marrow.json
//   programs --devices cuda:0,cuda:1,cpu --only Saxpy --inputs host
// On the CPU alone the rows are about fission. Results are checked against serial references before anything is timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "measure.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::bench::marrow;

struct Options {
  std::vector<std::string> devices;
  std::vector<std::string> only, inputs;
  std::string json;
  Effort effort;
  bool check_only = false;
};

Options parse(int count, char** arguments) {
  Options options;
  CLI::App app("Marrow's benchmarks.");
  app.add_option(
      "--devices", options.devices,
      "ids, comma separated; several lists are measured one after the other. Default: each GPU count with the "
      "CPU, then the CPU alone");
  app.add_option("--inputs", options.inputs, "default: small with the CPU alone, else middle")
      ->delimiter(',')
      ->check(CLI::IsMember(input_names()));
  app.add_option("--only", options.only, "some of Filter, FFT, N-Body, Saxpy, Segmentation, MapReduce")->delimiter(',');
  app.add_option("--rounds", options.effort.rounds, "measured runs of each contender")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--adaptations", options.effort.adaptations, "runs that the load balancer has before")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--step", options.effort.step, "of the exhaustive search of the share")
      ->check(CLI::Range(0.001, 0.5))
      ->capture_default_str();
  app.add_option("--json", options.json, "the figures of this run, as a file");
  app.add_flag("--check", options.check_only, "compares the results with the references, and measures nothing");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

// One GPU and two with the CPU, if they are there; then the CPU.
std::vector<std::string> lists_of_devices() {
  std::vector<std::string> gpus, lists;
  for (const DeviceInfo& device : Runtime().devices())
    if (device.capability != 0) gpus.push_back(device.id);
  if (!gpus.empty()) lists.push_back(gpus[0] + ",cpu");
  if (gpus.size() > 1) lists.push_back(gpus[0] + "," + gpus[1] + ",cpu");
  lists.push_back("cpu");
  return lists;
}

std::filesystem::path kernels() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels"; }

bool wanted(const Options& options, const std::string& name) {
  return options.only.empty() || std::ranges::find(options.only, name) != options.only.end();
}

// Whether all results were right.
bool measure(Results& results, const Options& options, const std::string& devices, const std::string& inputs,
             const Photo& photo) {
  Runtime runtime({.devices = devices});
  const Module module = runtime.load_ptx_file(kernels() / "marrow.ptx");
  const Measurement measurement(runtime, devices + ", " + inputs, options.effort);
  bool right = true;
  fmt::print("{}, {} inputs:\n", devices, inputs);
  for (const auto& program : all_programs(runtime, module, inputs_named(inputs), photo)) {
    if (!wanted(options, program->name())) continue;
    try {
      if (const std::string wrong = measurement.verify(*program, options.check_only); !wrong.empty()) {
        fmt::print("WRONG: {}\n", wrong);
        right = false;
        continue;
      }
      if (options.check_only) {
        fmt::print("  {}: as the reference\n", program->name());
      } else if (measurement.has_both()) {
        measurement.both(results, *program);
      } else {
        measurement.fission(results, *program);
      }
    } catch (const Error& error) {  // what the others measure counts
      fmt::print("FAILED: {}: {}\n", program->name(), error.what());
      right = false;
    }
  }
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  try {
    const std::vector<std::string> lists = options.devices.empty() ? lists_of_devices() : options.devices;
    const Photo photo = read_pgm(kernels() / "photo.pgm");
    Results results("marrow");
    std::string names;
    for (const DeviceInfo& device : Runtime({.devices = lists.front()}).devices())
      if (device.capability != 0) names += (names.empty() ? "" : ", ") + device.name;
    if (!names.empty()) results.also_on(names);
    bool right = true;
    for (const std::string& devices : lists) {
      std::vector<std::string> inputs = options.inputs;
      if (inputs.empty()) inputs = {devices == "cpu" ? "small" : "middle"};
      for (const std::string& one : inputs) right = measure(results, options, devices, one, photo) && right;
    }
    if (!options.json.empty()) base::write_file_atomic(options.json, std::string_view(results.json()));
    const int status = options.check_only ? 0 : results.finish();
    return right ? status : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
