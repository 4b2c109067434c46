// How long a tiny CUDA program takes from its start to its end (programs/startup.cu): through Heddle (the time of
// `heddle run` is part of it), and bare. cuda_api_startup --help explains the options.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/fail.hpp"
#include "base/temporary_folder.hpp"
#include "cuda_api/program.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;

// Milliseconds.
struct Row {
  const char* name;
  std::vector<double> values;
  double quantile(double q) const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
};
using Rows = std::array<Row, 5>;
Rows rows() {
  return {{{"start to main()", {}},
           {"first call", {}},
           {"first kernel, from the cache", {}},
           {"end of main() to the end", {}},
           {"whole program", {}}}};
}

void add(const bench::Run& run, Rows& to) {
  long long at[4] = {};
  if (std::sscanf(run.output.c_str(), "%lld %lld %lld %lld", &at[0], &at[1], &at[2], &at[3]) != 4)
    base::fail(ErrorCode::invalid_argument, "the program says '{}', and not when it did what", run.output);
  const auto ms = [](auto from, auto until) {
    return static_cast<double>(static_cast<long long>(until) - static_cast<long long>(from)) * 1e-6;
  };
  to[0].values.push_back(ms(run.begin, at[0]));
  to[1].values.push_back(ms(at[0], at[1]));
  to[2].values.push_back(ms(at[1], at[2]));
  to[3].values.push_back(ms(at[3], run.end));
  to[4].values.push_back(ms(run.begin, run.end));
}

int measure(const bench::ProgramOptions& options) {
  base::TemporaryFolder folder;
  folder.create("bench");
  const std::vector<bench::Way> ways = bench::ways_of(options, "startup", folder.path());
  std::vector<Rows> all(ways.size(), rows());
  std::vector<double> ratios;
  constexpr int warm_up = 2;  // that the kernel is in the caches, Heddle's and the driver's
  for (int round = -warm_up; round < options.rounds; ++round) {
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const std::size_t i = round % 2 == 0 ? turn : ways.size() - 1 - turn;
      const auto ended = bench::run(ways[i]);
      if (!ended) return 1;  // it has said why
      if (round >= 0) add(*ended, all[i]);
    }
    if (round >= 0 && ways.size() > 1) ratios.push_back(all[0][4].values.back() / all[1][4].values.back());
  }
  bench::Results results("cuda_api");
  if (!options.device.empty()) results.also_on("device " + options.device);
  for (std::size_t row = 0; row < rows().size(); ++row) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::string name = std::string(all[i][row].name) + ", " + ways[i].name;
      results.add({name, all[i][row].quantile(0.5), "ms", {}, ""});
      results.add({name + ", quartiles apart", all[i][row].quantile(0.75) - all[i][row].quantile(0.25), "ms", {}, ""});
    }
  }
  if (!ratios.empty())
    results.add({"whole program, over bare", bench::median(ratios), "x", bench::at_most(1.03), "bare"});
  return results.finish();
}

}  // namespace

int main(int count, char** arguments) {
  bench::ProgramOptions options;
  CLI::App app{"How long a tiny CUDA program takes, through Heddle and bare.", "cuda_api_startup"};
  bench::add_options(app, options, 25);
  CLI11_PARSE(app, count, arguments);
  try {
    return measure(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_api_startup: %s\n", error.what());
    return 2;
  }
}
