// What launches and other calls cost a CUDA program (programs/launches.cu): through Heddle, and bare, on NVIDIA's own
// libraries; for both the same binary. cuda_api_launches --help explains the options.
#include <map>
#include <sstream>

#include "base/temporary_folder.hpp"
#include "cuda_api/program.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;

// Of each round, by the calls' names.
struct Figures {
  std::vector<std::string> names;  // in the program's order
  std::map<std::string, std::vector<double>> us;
  double median(const std::string& name) const { return bench::median(us.at(name)); }
};

void read(const std::string& output, Figures& into) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    if (tab == line.npos) continue;
    const std::string name = line.substr(0, tab);
    if (!into.us.contains(name)) into.names.push_back(name);
    into.us[name].push_back(std::stod(line.substr(tab + 1)));
  }
}

// What Heddle adds to launches and to the order of streams; copies and waiting are the device's.
bool has_bar(const std::string& name) {
  return name.starts_with("cudaLaunchKernel") || name.starts_with("kernel<<<") || name.starts_with("launch, ") ||
         name.starts_with("cudaEventRecord") || name.starts_with("cudaStreamSynchronize");
}

int measure(const bench::ProgramOptions& options) {
  base::TemporaryFolder folder;
  folder.create("bench");
  const std::vector<bench::Way> ways = bench::ways_of(options, "launches", folder.path());
  std::vector<Figures> all(ways.size());
  // By turns, so that what changes on the machine meanwhile is everyone's.
  for (int round = 0; round < options.rounds; ++round) {
    std::fprintf(stderr, "\rround %d of %d ", round + 1, options.rounds);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto ended = bench::run(ways[i]);
      if (!ended) return 1;  // it has said why
      read(ended->output, all[i]);
    }
  }
  std::fprintf(stderr, "\r                \r");
  bench::Results results("cuda_api");
  if (!options.device.empty()) results.also_on("device " + options.device);
  for (const std::string& name : all[0].names) {
    const double ours = all[0].median(name);
    results.add({name, ours, "us", {}, ""});
    if (ways.size() == 1) continue;
    const double theirs = all[1].median(name);
    results.add({name + ", bare", theirs, "us", {}, ""});
    results.add({name + ", more than bare", ours - theirs, "us",
                 has_bar(name) ? std::optional(bench::at_most(0.5)) : std::nullopt, "bare"});
  }
  return results.finish();
}

}  // namespace

int main(int count, char** arguments) {
  bench::ProgramOptions options;
  CLI::App app{"What calls of CUDA cost a program, through Heddle and bare.", "cuda_api_launches"};
  bench::add_options(app, options, 7);
  CLI11_PARSE(app, count, arguments);
  try {
    return measure(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_api_launches: %s\n", error.what());
    return 2;
  }
}
