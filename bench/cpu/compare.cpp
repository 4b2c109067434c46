// The CPU device against PoCL (the same kernels in OpenCL C) and against plain C++ loops, on the same arrays. Checks
// first that all compute the same.
#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "compare/cases.hpp"
#include "compare/check.hpp"
#include "compare/contender.hpp"
#include "compare/measure.hpp"
#include "compare/report.hpp"
#include "kernels/loops.hpp"
#include "support/machine.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;

struct Options {
  std::vector<std::string> only;
  int rounds = 11;
  unsigned threads = 0;  // of each contender; 0: one for each core
  bool processor_time = false;
  bool skip_pocl = false;
  bool list = false;

  bool special() const { return threads != 0 || processor_time; }
};

struct World {
  explicit World(const Options& chosen) : options(chosen) {}
  const Options& options;
  Runtime runtime{{.devices = "cpu", .workers = options.threads}};
  std::unique_ptr<OpenClDevice> pocl;
  bool failed = false;
};

// Who takes part, Heddle first; the places of the others in `contenders`.
struct Field {
  std::vector<std::unique_ptr<Contender>> contenders;
  std::size_t pocl = 0, cpp = 0, reordered = 0, streaming = 0;  // 0: does not take part
};

Field make_field(const Case& test, World& world) {
  Field field;
  const auto add = [&](std::unique_ptr<Contender> contender) {
    field.contenders.push_back(std::move(contender));
    return field.contenders.size() - 1;
  };
  add(make_heddle(test, world.runtime));
  if (world.pocl) field.pocl = add(world.pocl->contender(test));
  if (loops::available()) {
    if (test.reordered) field.reordered = add(make_loops(test, test.reordered, "C++ with sums reordered"));
    if (test.streaming) field.streaming = add(make_loops(test, test.streaming, "C++ past the caches"));
    field.cpp = add(make_loops(test, test.loops, "C++"));
  }
  return field;
}

// Whether all agree with the last one, which is the C++ loops where they are there.
bool agree(const Case& test, Field& field) {
  for (const auto& contender : field.contenders) {
    contender->reset();
    contender->run();
  }
  bool good = true;
  for (std::size_t i = 0; i + 1 < field.contenders.size(); ++i) {
    const std::string found = difference(test, *field.contenders[i], *field.contenders.back());
    if (!found.empty()) fmt::print(stderr, "WRONG: {}\n", found);
    good = good && found.empty();
  }
  return good;
}

Row make_row(const Case& test, const Field& field, const Times& seconds) {
  Row row{.name = test.name, .bound_by_memory = test.bound_by_memory(), .bytes = test.bytes};
  const auto median_of = [&](std::size_t who) { return spread(seconds[who]).median; };
  row.heddle = median_of(0);
  if (field.pocl != 0) {
    row.pocl = median_of(field.pocl);
    row.against_pocl = ratio(seconds[0], seconds[field.pocl]);
  }
  if (field.cpp != 0) {
    row.cpp = median_of(field.cpp);
    row.against_cpp = ratio(seconds[0], seconds[field.cpp]);
  }
  if (field.reordered != 0) row.against_reordered = ratio(seconds[0], seconds[field.reordered]);
  if (field.streaming != 0) {
    row.streaming = median_of(field.streaming);
    std::vector<double> fastest = seconds[field.cpp];
    for (std::size_t i = 0; i < fastest.size(); ++i) fastest[i] = std::min(fastest[i], seconds[field.streaming][i]);
    row.against_memory = ratio(seconds[0], fastest);
  }
  return row;
}

std::vector<Row> run_cases(World& world) {
  const Measure what = world.options.processor_time ? Measure::processor : Measure::clock;
  std::vector<Row> rows;
  for (const CaseMaker& maker : all_cases()) {
    const auto& only = world.options.only;
    if (!only.empty() && std::find(only.begin(), only.end(), maker.name) == only.end()) continue;
    fmt::print(stderr, "{} ...\n", maker.name);
    const Case test = maker.make();
    Field field = make_field(test, world);
    world.failed = !agree(test, field) || world.failed;
    rows.push_back(make_row(test, field, measure(field.contenders, world.options.rounds, what)));
  }
  return rows;
}

void print_report(const std::vector<Row>& rows, const Results& results, const Peers& peers, const Options& options) {
  fmt::print("{}\n{}", comparison_table(rows), memory_table(rows));
  if (!memory_table(rows).empty()) fmt::print("\n");
  for (const Result& r : results.all()) {
    if (!r.bar) continue;
    // A bar for each benchmark is worth a line only where it does not hold.
    const bool overall = r.name.find("geometric mean") != std::string::npos;
    if (overall || !r.bar->holds(r.value)) {
      fmt::print("{}: {:.3g} (bar {}): {}\n", r.name, r.value, r.bar->text(),
                 r.bar->holds(r.value) ? "holds" : "DOES NOT HOLD");
    }
  }
  fmt::print("peers:   {}; {}\n", peers.pocl.empty() ? "no PoCL" : peers.pocl,
             peers.cpp ? "C++ loops, clang++-19 -O3 -march=native -fopenmp" : "no C++ loops");
  // Figures for information must not stand where the real ones do.
  const std::string file = options.special() ? "no file (--threads, --processor-time)" : results.write().string();
  fmt::print("machine: {}\ncommit:  {}\nwritten: {}\n", machine_text(), commit_text(), file);
}

int compare(const Options& options) {
  World world(options);
  const unsigned threads = world.runtime.devices().at(0).processors;
  // PoCL reads it when it starts; what the user has set stays.
  ::setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads).c_str(), 0);
  std::string why_not = "--skip-pocl";
  if (!options.skip_pocl) world.pocl = find_pocl(why_not);
  if (!world.pocl) fmt::print("PoCL is left out: {}\n", why_not);
  if (loops::available()) {
    loops::use_threads(static_cast<int>(threads));
  } else {
    fmt::print("the C++ loops are left out: built without clang++-19 and its OpenMP (libomp-19-dev)\n");
  }
  const std::vector<Row> rows = run_cases(world);
  const Peers peers{world.pocl ? world.pocl->description() : "", loops::available()};
  const bool complete = options.only.empty() && !options.special();
  print_report(rows, comparison_results(rows, peers, complete), peers, options);
  return world.failed ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  CLI::App app{"The CPU device against PoCL and plain C++ loops."};
  app.add_option("--only", options.only, "only these benchmarks, separated by commas")->delimiter(',');
  app.add_option("--rounds", options.rounds, "measured rounds")->check(CLI::Range(1, 1000));
  app.add_option("--threads", options.threads, "threads of each contender; one for each core unless given");
  app.add_flag("--processor-time", options.processor_time, "measure the time of all threads on the processor");
  app.add_flag("--skip-pocl", options.skip_pocl, "without PoCL");
  app.add_flag("--list", options.list, "only the names of the benchmarks");
  CLI11_PARSE(app, count, arguments);
  try {
    if (!options.list) return compare(options);
    for (const CaseMaker& maker : all_cases()) fmt::print("{}\n", maker.name);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
