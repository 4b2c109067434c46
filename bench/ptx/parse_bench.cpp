// Speed of the PTX front end: megabytes of text per second of processor time for parsing and printing, on what nvcc and
// clang wrote. Usage: parse_bench [FILE.ptx ...]; without files the test kernels.
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "support/folders.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;

constexpr int rounds = 15;
constexpr std::size_t wanted_bytes = 4 << 20;
constexpr double megabyte = 1e6;

std::vector<std::string> read_files(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(base::read_file(file));
  return texts;
}

// Seconds of processor time of this thread: parsing uses one thread and waits for nothing, and on a machine that others
// use too the time on the clock says little about it.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_seconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double begin = processor_seconds();
    work();
    times.push_back(processor_seconds() - begin);
  }
  return bench::median(times);
}

struct Rate {
  double parse = 0, print = 0;  // megabytes per second
};

// Each text as often as it takes to get a few megabytes; a module is freed before the next one is parsed.
Rate measure(const std::vector<std::string>& texts) {
  std::size_t bytes = 0, printed = 0;
  std::vector<ptx::Module> modules;
  for (const std::string& text : texts) {
    bytes += text.size();
    modules.push_back(ptx::parse(text, "bench"));
    printed += ptx::print(modules.back()).size();
  }
  const std::size_t repeats = std::max<std::size_t>(1, wanted_bytes / bytes);
  const double parse_time = median_seconds([&] {
    ptx::Module module;
    for (std::size_t i = 0; i < repeats; ++i)
      for (const std::string& text : texts) module = ptx::parse(text, "bench");
  });
  const double print_time = median_seconds([&] {
    std::string text;
    for (std::size_t i = 0; i < repeats; ++i)
      for (const ptx::Module& module : modules) text = ptx::print(module);
  });
  return {static_cast<double>(bytes * repeats) / megabyte / parse_time,
          static_cast<double>(printed * repeats) / megabyte / print_time};
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::filesystem::path> files(arguments + 1, arguments + count);
  const bool own = !files.empty();
  const std::filesystem::path data = bench::source_root() / "tests/data/ptx";
  if (!own)
    for (const auto& entry : std::filesystem::directory_iterator(data / "nvcc"))
      if (entry.path().string().find("debug") == std::string::npos) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  bench::Results results("ptx");
  const Rate nvcc = measure(read_files(files));
  results.add({"parse nvcc output", nvcc.parse, "MB/s of CPU time", bench::at_least(50), ""});
  results.add({"print nvcc output", nvcc.print, "MB/s of CPU time", {}, ""});
  if (!own) {
    const Rate clang = measure(read_files({data / "clang/portable.sm90.ptx"}));
    results.add({"parse clang output", clang.parse, "MB/s of CPU time", bench::at_least(50), ""});
    const Rate large = measure(read_files({data / "nvcc/arithmetic.sm80.ptx"}));
    results.add({"parse one large kernel", large.parse, "MB/s of CPU time", bench::at_least(50), ""});
  }
  return results.finish();
}
