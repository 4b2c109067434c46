// Marrow's programs on one GPU and on several, with data that the devices make and keep:
//   scaling --devices cuda:0,cuda:1 --inputs large
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "program.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::bench::marrow;

struct Options {
  std::vector<std::string> devices{"cuda:0", "cuda:1"};
  std::vector<std::string> only{"Saxpy", "FFT", "N-Body", "Filter", "Segmentation"};
  std::string inputs = "large", json;
  int rounds = 9;
};

Options parse(int count, char** arguments) {
  Options options;
  CLI::App app("Marrow's programs on one device and on several.");
  app.add_option("--devices", options.devices, "ids; the first one alone is the peer")->delimiter(',');
  app.add_option("--only", options.only, "some of Filter, FFT, N-Body, Saxpy, Segmentation")->delimiter(',');
  app.add_option("--inputs", options.inputs)->check(CLI::IsMember(input_names()))->capture_default_str();
  app.add_option("--rounds", options.rounds, "measured runs")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--json", options.json, "the figures of this run, as a file");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

// The programs on some devices. A small part of the work on each GPU at a time: no overlap of copies is needed.
class Side {
 public:
  Side(const Options& options, const std::string& devices, const Photo& photo, const std::filesystem::path& kernels)
      : runtime_({.devices = devices}),
        module_(runtime_.load_ptx_file(kernels / "marrow.ptx")),
        executor_(runtime_, {.knowledge = "none", .adapt = false, .fission = "none", .overlap = 1, .speeds = equal()}),
        programs_(all_programs(runtime_, module_, inputs_named(options.inputs), photo)) {}

  Program& program(const std::string& name) {
    for (const auto& program : programs_)
      if (program->name() == name) return *program;
    throw Error(ErrorCode::invalid_argument, fmt::format("there is no program '{}'", name));
  }
  double seconds(const std::string& name) { return program(name).run(executor_).seconds; }

 private:
  std::vector<std::pair<std::string, double>> equal() const {
    std::vector<std::pair<std::string, double>> speeds;
    for (const DeviceInfo& device : runtime_.devices()) speeds.emplace_back(device.id, 1);
    return speeds;
  }

  Runtime runtime_;
  Module module_;
  skeleton::Executor executor_;
  std::vector<std::unique_ptr<Program>> programs_;
};

std::optional<Bar> bar_of(const std::string& name, std::size_t devices) {
  if (devices != 2) return std::nullopt;
  if (name == "N-Body") return at_least(1.9);
  if (name == "Saxpy" || name == "FFT") return at_least(1.8);
  return std::nullopt;
}

void measure(Results& results, const Options& options, const std::string& name, Side& one, Side& all) {
  std::vector<double> alone, together, gain;
  for (Side* const side : {&one, &all}) {
    side->program(name).fill();
    side->program(name).keep_on_devices();
  }
  for (int round = -2; round < options.rounds; ++round) {
    const double first = one.seconds(name), second = all.seconds(name);
    if (round < 0) continue;  // compiles, and distributes the data
    alone.push_back(first);
    together.push_back(second);
    gain.push_back(first / second);
  }
  const std::string row = fmt::format("{}, {}, data on the devices", name, options.inputs);
  results.add({row + ", one", 1e3 * median(alone), "ms", {}, ""});
  results.add({row + fmt::format(", {}", options.devices.size()), 1e3 * median(together), "ms", {}, ""});
  results.add({row, median(gain), "x", bar_of(name, options.devices.size()), "one device"});
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  try {
    const auto kernels = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels";
    const Photo photo = read_pgm(kernels / "photo.pgm");
    std::string list;
    for (const std::string& device : options.devices) list += (list.empty() ? "" : ",") + device;
    Side one(options, options.devices.front(), photo, kernels), all(options, list, photo, kernels);
    Results results("marrow");
    results.also_on(Runtime({.devices = options.devices.front()}).devices().front().name);
    for (const std::string& name : options.only) measure(results, options, name, one, all);
    if (!options.json.empty()) base::write_file_atomic(options.json, std::string_view(results.json()));
    return results.finish();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
