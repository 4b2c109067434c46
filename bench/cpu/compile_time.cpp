// What it takes to make a kernel callable: its module parsed, loaded, and code for one of its kernels in memory;
// without the cache on disk and from it. Over all kernels of the tests as data, of the examples and of these
// benchmarks.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "device/cpu/cpu.hpp"
#include "device/cpu/kernel_unit.hpp"
#include "heddle/compile.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "support/folders.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
namespace fs = std::filesystem;

constexpr std::size_t rounds = 3;
constexpr double median_bar_ms = 40, longest_bar_ms = 2000, cached_bar_ms = 1;

// One kernel with what it needs of its module.
struct Source {
  std::string file, kernel, ptx;
  std::string name() const { return file + " " + kernel; }
};

// Removes itself.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "heddle-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error(ErrorCode::io_error, "cannot make a folder for the cache");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<fs::path> source_files() {
  std::vector<fs::path> files;
  for (const char* folder : {"tests/data/run", "examples", "bench/cpu/kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(bench::source_root() / folder)) {
      const auto ending = entry.path().extension();
      if (ending == ".ptx" || ending == ".cu") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Source> read_sources() {
  std::vector<Source> sources;
  for (const fs::path& file : source_files()) {
    const std::string text = file.extension() == ".cu" ? compile_to_ptx(file) : base::read_file(file);
    const std::string name = fs::relative(file, bench::source_root()).string();
    const ptx::Module module = ptx::parse(text, name);
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
      const ptx::Function& function = module.functions[i];
      if (!function.is_entry || function.is_declaration) continue;
      const auto unit = device::cpu::extract_kernel(module, i, device::cpu::Lines::original);
      sources.push_back({name, function.name, ptx::print(unit.module)});
    }
  }
  return sources;
}

// The block the kernel asks for, or one of usual size.
Dim3 block_of(const ptx::Function& function) {
  for (const ptx::FunctionDirective& directive : function.directives) {
    if (directive.name != "reqntid" || directive.values.empty()) continue;
    const auto extent = [&](std::size_t i) { return i < directive.values.size() ? directive.values[i] : 1; };
    return {extent(0), extent(1), extent(2)};
  }
  return {256};
}

// Milliseconds.
double make_callable(device::Device& device, const Source& source) {
  const base::SteadyClock clock;
  const base::Stopwatch watch(clock);
  const auto module = device.load(std::make_shared<ptx::Module>(ptx::parse(source.ptx, source.file)), {});
  device::Function& function = module->function(source.kernel);
  function.prepare(block_of(function.ptx()));
  return watch.seconds() * 1e3;
}

struct Figure {
  std::string kernel;
  bool of_tests = false;
  double cold = 0, cached = 0;  // milliseconds
};

// `first` has been measured already.
double median_time(device::Device& device, const Source& source, std::vector<double> first = {}) {
  std::vector<double> times = std::move(first);
  while (times.size() < rounds) times.push_back(make_callable(device, source));
  return bench::median(std::move(times));
}

struct Measured {
  std::vector<Figure> figures;
  double first_of_process = 0;       // milliseconds
  std::vector<std::string> refused;  // kernels that the device does not run
};

Measured measure(const std::vector<Source>& sources, const fs::path& cache) {
  device::cpu::CpuOptions without{.workers = 1, .cache = false};
  device::cpu::CpuOptions with{.workers = 1, .cache_directory = cache};
  const auto cold = device::cpu::make_cpu_device(without), cached = device::cpu::make_cpu_device(with);
  Measured measured;
  for (const Source& source : sources) {
    try {
      const double first = make_callable(*cold, source);
      if (measured.figures.empty()) measured.first_of_process = first;
      make_callable(*cached, source);  // fills the cache
      measured.figures.push_back({source.name(), source.file.starts_with("tests/"), median_time(*cold, source, {first}),
                                  median_time(*cached, source)});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      measured.refused.push_back(source.name());
    }
  }
  return measured;
}

double percentile_95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, values.size() * 95 / 100)];
}

void add_figures(bench::Results& results, const Measured& measured) {
  std::vector<double> cold, cached, cold_programs;
  for (const Figure& figure : measured.figures) {
    cold.push_back(figure.cold);
    cached.push_back(figure.cached);
    if (!figure.of_tests) cold_programs.push_back(figure.cold);
  }
  const auto slowest = [&](double Figure::* time) {
    return *std::max_element(measured.figures.begin(), measured.figures.end(),
                             [&](const Figure& a, const Figure& b) { return a.*time < b.*time; });
  };
  const Figure longest = slowest(&Figure::cold), longest_cached = slowest(&Figure::cached);
  const auto add = [&](const char* name, double value, std::optional<bench::Bar> bar) {
    results.add({name, value, "ms", bar, ""});
  };
  add("cold compile of a kernel, median", bench::median(cold), bench::at_most(median_bar_ms));
  add("cold compile of a kernel, 95th percentile", percentile_95(cold), {});
  add("cold compile of a kernel, longest", longest.cold, bench::at_most(longest_bar_ms));
  // Most kernels of the tests are of a few instructions.
  add("cold compile of a kernel of the examples and benchmarks, median", bench::median(cold_programs), {});
  add("cold compile, first of a process", measured.first_of_process, {});
  add("kernel from the cache, median", bench::median(cached), bench::at_most(cached_bar_ms));
  add("kernel from the cache, 95th percentile", percentile_95(cached), {});
  add("kernel from the cache, longest", longest_cached.cached, {});
  fmt::print("{} kernels; longest cold: {}; longest from the cache: {}\n", cold.size(), longest.kernel,
             longest_cached.kernel);
}

void print_slowest(std::vector<Figure> figures, std::size_t count) {
  std::sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) { return a.cold > b.cold; });
  for (std::size_t i = 0; i < std::min(count, figures.size()); ++i) {
    fmt::print("  {:8.1f} ms cold {:7.2f} ms cached  {}\n", figures[i].cold, figures[i].cached, figures[i].kernel);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const bool all = count > 1 && std::string(arguments[1]) == "--all";  // a line for every kernel
  const Folder cache;
  try {
    const Measured measured = measure(read_sources(), cache.path());
    bench::Results results("cpu");
    add_figures(results, measured);
    print_slowest(measured.figures, all ? measured.figures.size() : 8);
    for (const std::string& kernel : measured.refused) fmt::print("  refused by the device: {}\n", kernel);
    return results.finish();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
