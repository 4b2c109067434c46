// The six benchmarks of GrCUDA on Heddle, run in parallel and serially, and against hand-written streams, a graph
// captured from them and a graph built by hand: times, ratios, what overlapped, and how short it could have been.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "duplex.hpp"
#include "placed.hpp"
#include "report.hpp"
#include "support/folders.hpp"
#include "timeline.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using namespace heddle::bench::grcuda;

struct Options {
  std::vector<std::string> only;
  std::vector<double> gigabytes;
  std::vector<unsigned> blocks = {32, 128, 256, 1024};
  unsigned blocks_per_processor = 8;
  Effort effort;
  std::string device, devices, placement = "min_transfer_size", matrix, photo, picture;
  bool no_bare = false, no_metrics = false;
};

Options parse(int count, char** arguments) {
  Options options;
  CLI::App app("GrCUDA's benchmarks.");
  app.add_option("--only", options.only, "some of VEC, B&S, IMG, ML, HITS, DL")->delimiter(',');
  app.add_option("--gigabytes", options.gigabytes, "footprints; default: 1,4,16 on a GPU, 0.05 elsewhere")
      ->delimiter(',')
      ->check(CLI::Range(1e-6, 100.0));
  app.add_option("--block", options.blocks, "threads of one-dimensional blocks; default: 32,128,256,1024")
      ->delimiter(',')
      ->check(CLI::IsMember({32, 64, 128, 256, 512, 1024}));
  app.add_option("--blocks-per-processor", options.blocks_per_processor, "blocks of every launch")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--rounds", options.effort.rounds, "executions of each form; default: what fits into --seconds");
  app.add_option("--seconds", options.effort.seconds,
                 "for one benchmark, size and block size; at least 3 rounds are made")
      ->capture_default_str();
  app.add_option("--device", options.device, "default: the first GPU; the first device where there is none");
  app.add_option("--devices", options.devices,
                 "two or more, comma separated: launches are placed among them, against the first alone");
  app.add_option("--placement", options.placement, "with --devices: Scheduling::placement")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(placement_names), std::end(placement_names))))
      ->capture_default_str();
  app.add_option("--matrix", options.matrix,
                 "HITS of this graph, a Matrix Market file; alone unless --only names more");
  app.add_option("--photo", options.photo, "IMG of this PNG file; alone unless --only names more");
  app.add_option("--picture", options.picture,
                 "draws an execution of the first benchmark, size and block as this SVG file, and measures nothing");
  app.add_flag("--no-bare", options.no_bare, "without streams and graphs on the bare driver");
  app.add_flag("--no-metrics", options.no_metrics, "without the traced executions");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool is_wanted(const std::vector<std::string>& only, const std::string& name) {
  return std::any_of(only.begin(), only.end(), [&](const std::string& one) {
    return upper(one) == name || (upper(one) == "BS" && name == "B&S");
  });
}

std::filesystem::path kernels() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels"; }

// At once, so that a run which is cut off has told what it measured.
void tell(const Measured& measured, unsigned block, std::span<const char* const> names) {
  fmt::print("  block {}:", block);
  for (std::size_t i = 0; i < measured.seconds.size(); ++i) {
    fmt::print(" {} {:.3f} ms", names[i], 1e3 * measured.seconds[i]);
    if (i > 0) fmt::print(" ({:.3f})", measured.ratios[i]);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

// On several devices against one.
int run_placed(const Options& options) {
  Placed placed({options.devices, placement_named(options.placement), options.blocks_per_processor, options.blocks,
                 options.effort},
                kernels());
  const bool gpus = placed.on_gpus();
  const DuplexRates duplex = measure_duplex(placed.all(), gpus ? std::size_t{256} << 20 : std::size_t{4} << 20, 5);
  fmt::print("{}\n", text(duplex));
  std::vector<double> sizes = options.gigabytes;
  if (sizes.empty()) sizes = gpus ? std::vector{1.0, 4.0, 16.0} : std::vector{0.001};
  std::vector<PlacedRow> rows;
  bool failed = false;
  for (const Named& named : all_benchmarks) {
    for (const double gigabytes : sizes) {
      if (!options.only.empty() && !is_wanted(options.only, named.name)) continue;
      fmt::print("{}, {:g} GB ...\n", named.name, gigabytes);
      std::fflush(stdout);
      try {
        for (PlacedRow& row : placed.run(named, gigabytes)) {
          failed = failed || !row.measured.wrong.empty();
          if (!row.measured.wrong.empty())
            fmt::print("WRONG: {}, block {}: {}\n", named.name, row.block, row.measured.wrong);
          tell(row.measured, row.block, placed_forms);
          rows.push_back(std::move(row));
        }
      } catch (const std::exception& error) {  // what the others have measured counts
        fmt::print("FAILED: {}, {:g} GB: {}\n", named.name, gigabytes, error.what());
        failed = true;
      }
    }
  }
  if (rows.empty()) return 1;
  fmt::print("\n{}\n", table(rows));
  Results results("grcuda-placed");
  results.also_on(fmt::format("{} by {}", options.devices, options.placement));
  add_results(duplex, results);
  add_results(rows, gpus, results);
  return results.finish() | (failed ? 1 : 0);
}

// Something to measure.
struct Task {
  std::string name, size;
  std::function<std::unique_ptr<Benchmark>()> make;
  bool shown = false;  // traced, too
  bool photo = false;
};

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options),
        place_{kernels()},
        parallel_({.devices = options.device}),
        serial_({.devices = parallel_.devices().at(0).id, .scheduling = sync()}),
        device_(parallel_.devices().at(0)) {
    if (options_.gigabytes.empty()) options_.gigabytes = on_gpu() ? std::vector{1.0, 4.0, 16.0} : std::vector{0.05};
    open_driver();
  }

  int run() {
    if (!options_.picture.empty()) {
      const std::vector<Task> all = tasks();
      if (all.empty()) return 1;
      draw(*all.front().make(), device_.id, shape(options_.blocks.front()), options_.picture);
      fmt::print("written: {}\n", options_.picture);
      return 0;
    }
    for (const Task& task : tasks()) {
      try {
        run(task);
      } catch (const std::exception& error) {  // what the others have measured counts
        fmt::print("FAILED: {}, {}: {}\n", task.name, task.size, error.what());
        failed_ = true;
      }
    }
    if (rows_.empty()) return 1;
    fmt::print("\n{}\n", table(rows_));
    if (!shown_.empty()) fmt::print("{}\n", table(shown_));
    Results results(on_gpu() ? "grcuda" : "grcuda-" + device_.id);
    results.also_on(cuda_ ? cuda_->text() : device_.name);
    add_results(rows_, on_gpu(), results);
    add_results(shown_, on_gpu(), results);
    return results.finish() | (failed_ ? 1 : 0);
  }

 private:
  static Scheduling sync() {
    Scheduling scheduling;
    scheduling.execution = Scheduling::Execution::sync;
    return scheduling;
  }
  bool on_gpu() const { return device_.id.starts_with("cuda"); }

  void open_driver() {
    if (options_.no_bare) {
      fmt::print("LEFT OUT: streams and graphs on the bare driver\n");
      return;
    }
    std::string why = "the device is " + device_.id;
    if (on_gpu()) cuda_ = Cuda::open(why, Cuda::library, std::stoi(device_.id.substr(device_.id.find(':') + 1)));
    if (!cuda_) fmt::print("NOT RUN: streams and graphs on the bare driver: {}\n", why);
  }

  bool wanted(const std::string& name) const {
    if (options_.only.empty()) return options_.matrix.empty() && options_.photo.empty();
    return is_wanted(options_.only, name);
  }

  std::vector<Task> tasks() const {
    std::vector<Task> all;
    for (const Named& named : all_benchmarks) {
      for (const double gigabytes : options_.gigabytes) {
        if (!wanted(named.name)) continue;
        const auto bytes = static_cast<std::uint64_t>(gigabytes * 1e9);
        all.push_back({named.name, fmt::format("{:g} GB", gigabytes),
                       [this, make = named.make, bytes] { return make(place_, bytes); },
                       gigabytes == options_.gigabytes.front()});
      }
    }
    const auto file = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
    const std::filesystem::path matrix = options_.matrix, photo = options_.photo;
    if (!matrix.empty())
      all.push_back({"HITS of a file", file(matrix), [this, matrix] { return make_hits(place_, matrix); }, true});
    if (!photo.empty())
      all.push_back({"IMG of a file", file(photo), [this, photo] { return make_img(place_, photo); }, true, true});
    return all;
  }

  Shape shape(unsigned block) const {
    return {options_.blocks_per_processor * std::max(device_.processors, 1u), block};
  }

  void run(const Task& task) {
    fmt::print("{}, {} ...\n", task.name, task.size);
    std::fflush(stdout);
    const auto benchmark = task.make();
    {
      std::vector<std::unique_ptr<Form>> forms;
      forms.push_back(make_heddle_form(*benchmark, parallel_));
      forms.push_back(make_heddle_form(*benchmark, serial_));
      if (cuda_)
        for (auto& form : make_bare_forms(*benchmark, *cuda_)) forms.push_back(std::move(form));
      for (const unsigned block : options_.blocks) {
        rows_.push_back({task.name, task.size, block, measure(*benchmark, forms, shape(block), options_.effort)});
        const Measured& measured = rows_.back().measured;
        failed_ = failed_ || !measured.wrong.empty();
        tell(measured, block, form_names);
        if (!measured.wrong.empty()) fmt::print("WRONG: {}, block {}: {}\n", task.name, block, measured.wrong);
      }
      if (task.photo) {
        const auto file = results_folder() / "grcuda-photo.png";
        std::filesystem::create_directories(results_folder());
        write_photo(*benchmark, forms[parallel]->outputs(), file);
        fmt::print("written: {}\n", file.string());
      }
    }
    if (task.shown && !options_.no_metrics) show(task, *benchmark);
  }

  // With blocks of 256 threads, or the first of those that are measured.
  void show(const Task& task, const Benchmark& benchmark) {
    const auto& blocks = options_.blocks;
    const unsigned block = std::find(blocks.begin(), blocks.end(), 256u) != blocks.end() ? 256u : blocks.front();
    const Timeline in_parallel = trace(benchmark, device_.id, {}, shape(block));
    const Timeline in_series = trace(benchmark, device_.id, sync(), shape(block));
    const Plan plan = benchmark.plan();
    shown_.push_back({task.name, task.size, block, base::overlap(in_parallel.intervals),
                      base::overlap(in_series.intervals), contention_free(plan, in_series, true),
                      contention_free(plan, in_series, false), in_parallel.seconds});
  }

  Options options_;
  Place place_;
  Runtime parallel_, serial_;
  DeviceInfo device_;
  std::unique_ptr<Cuda> cuda_;
  std::vector<Row> rows_;
  std::vector<Shown> shown_;
  bool failed_ = false;
};

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  try {
    return options.devices.empty() ? Bench(options).run() : run_placed(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
