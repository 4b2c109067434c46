// Chains and fans of small kernels: what Heddle gets out of a GPU, with replay and without, against a bare driver with
// hand-written streams and events; and what the host pays for a launch beyond the bare launch, against CUDASTF.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "chain_kernels.hpp"
#include "driver_calls.hpp"
#include "peer_results.hpp"
#include "support/folders.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;

// Nanoseconds for each launch, medians.
struct Cost {
  double host = 0, completed = 0;
};

template <class Run>
Cost cost(const Shape& shape, Run&& run) {
  run();
  std::vector<double> host, completed;
  for (int i = 0; i < shape_measurements; ++i) {
    const Took took = run();
    host.push_back(took.host);
    completed.push_back(took.completed);
  }
  const double each = 1e9 / shape.launches();
  return {median(host) * each, median(completed) * each};
}

// What the host pays for a launch of a shape of empty kernels: of the bare launch, and beyond it.
struct HostCosts {
  Shape shape;
  double bare = 0, by_hand = 0, without = 0, with = 0;
};

// How much more nanoseconds of the host a launch takes than the bare one. Both take turns, since a machine's speed
// changes from one second to the next: the median of the differences.
struct Beyond {
  double bare = 0, more = 0;
};
template <class Run>
Beyond beyond_bare(const Shape& shape, Gpu& gpu, Run&& run) {
  Bare bare(gpu, shapes[0]);  // with one stream: launches take longer where the process has many
  std::vector<double> launches, more;
  for (int i = -1; i < shape_measurements; ++i) {
    const double alone = bare.run_launches(shape, 0).host, whole = run().host;
    if (i < 0) continue;
    launches.push_back(alone);
    more.push_back(whole - alone);
  }
  const double each = 1e9 / shape.launches();
  return {median(launches) * each, median(more) * each};
}

HostCosts host_costs(const Shape& shape, Gpu& gpu) {
  const auto by_heddle = [&](bool replay) {
    Ours ours(fmt::format("cuda:{}", gpu.ordinal), replay);
    return beyond_bare(shape, gpu, [&] { return ours.run(shape, 0); });
  };
  const Beyond by_hand = [&] {
    Bare streams(gpu, shape);
    return beyond_bare(shape, gpu, [&] { return streams.run(shape, 0); });
  }();
  const Beyond without = by_heddle(false), with = by_heddle(true);
  return {shape, without.bare, by_hand.more, without.more, with.more};
}

// Each form is there alone while it is measured, and has no more streams than it needs: on an H200 each launch of a
// graph takes 175 ns more once the process has used many.
void measure(Results& results, const Shape& shape, unsigned nanoseconds, Gpu& gpu) {
  const std::string name = shape.name + std::string(nanoseconds == 0 ? ", empty kernels" : ", kernels of 1 us");
  const auto by_driver = [&](auto form) {
    Bare bare(gpu, shape);
    return cost(shape, [&] { return (bare.*form)(shape, nanoseconds); });
  };
  const auto by_heddle = [&](bool replay) {
    Ours ours(fmt::format("cuda:{}", gpu.ordinal), replay);
    return cost(shape, [&] { return ours.run(shape, nanoseconds); });
  };
  const Cost theirs = by_driver(&Bare::run);
  const Cost without = by_heddle(false), with = by_heddle(true);
  results.add({name + ", bare streams and events", theirs.completed, "ns", {}, ""});
  results.add({name + ", without replay", without.completed, "ns", {}, ""});
  results.add({name + ", with replay", with.completed, "ns", {}, ""});
  results.add({name + ", throughput of replay over bare", theirs.completed / with.completed, "x",
               shape.only_read ? std::nullopt : std::optional(at_least(nanoseconds == 0 ? 5 : 2.5)),
               "bare streams and events"});
}

double figure(const PeerFigures& peer, const Shape& shape, const std::string& what) {
  const std::string name = fmt::format("{}, {}, host", shape.name, what);
  const auto found = peer.find(name);
  if (found == peer.end()) throw std::runtime_error(fmt::format("the peer's figures have no '{}'", name));
  return found->second;
}

constexpr const char* bare_launch = "bare launch";
constexpr const char* forms[] = {"stream_ctx", "stream_ctx with tokens", "graph_ctx"};

// Before anything is measured: whether all that will be asked of them is there.
void check_complete(const PeerFigures& peer) {
  for (const Shape& shape : shapes) {
    static_cast<void>(figure(peer, shape, bare_launch));
    for (const char* form : forms) static_cast<void>(figure(peer, shape, form));
  }
}

// What the peer's program prints in several runs, of which the median counts: before, between and after what is
// compared with it, since a machine's speed changes.
class PeerRuns {
 public:
  explicit PeerRuns(std::string program) : program_(std::move(program)) {}
  void run() {
    if (program_.empty()) return;
    std::filesystem::create_directories(results_folder());
    check_complete(runs_.emplace_back(run_peer(program_, results_folder() / "overhead-cudastf.json")));
  }
  PeerFigures figures() const {
    PeerFigures middle;
    if (runs_.empty()) return middle;
    for (const auto& [name, value] : runs_.front()) {
      std::vector<double> values;
      for (const PeerFigures& figures : runs_) values.push_back(figures.at(name));
      middle[name] = median(values);
    }
    return middle;
  }

 private:
  const std::string program_;
  std::vector<PeerFigures> runs_;
};

// Host time for a launch beyond the bare one. Each side is measured against the bare launches of its own program.
void compare(Results& results, const std::vector<HostCosts>& all, const PeerFigures& peer) {
  for (const HostCosts& cost : all) {
    const std::string name = cost.shape.name + std::string(", host, ");
    results.add({name + "bare launch", cost.bare, "ns", {}, ""});
    results.add({name + "beyond the bare launch, streams and events by hand", cost.by_hand, "ns", {}, ""});
    results.add({name + "beyond the bare launch, without replay", cost.without, "ns", {}, ""});
    results.add({name + "beyond the bare launch, with replay", cost.with, "ns", {}, ""});
    if (peer.empty()) continue;
    const double bare = figure(peer, cost.shape, bare_launch);
    results.add({name + "CUDASTF's bare launch", bare, "ns", {}, ""});
    for (const char* form : forms) {
      const double theirs = figure(peer, cost.shape, form) - bare;
      const std::string against = fmt::format("CUDASTF, {}", form);
      results.add({fmt::format("{}beyond the bare launch, {}", name, against), theirs, "ns", {}, ""});
      if (form == std::string("graph_ctx")) continue;  // a graph costs no launch: there is nothing to be beyond
      results.add({fmt::format("{}Heddle over {}, without replay", name, against), cost.without / theirs, "x",
                   at_most(0.5), against});
      results.add({fmt::format("{}Heddle over {}, with replay", name, against), cost.with / theirs, "x", at_most(0.5),
                   against});
    }
  }
}

// The same at a glance, against what of CUDASTF does what Heddle does: data as well as order, launches one by one.
std::string glance(const std::vector<HostCosts>& all, const PeerFigures& peer) {
  using base::Align;
  base::Table table({{"host, ns for a launch"},
                     {"bare", Align::right},
                     {"CUDASTF - bare", Align::right},
                     {"Heddle - bare", Align::right},
                     {"ratio", Align::right},
                     {"with replay - bare", Align::right},
                     {"ratio", Align::right},
                     {"bar", Align::right}});
  for (const HostCosts& cost : all) {
    const auto [without, with] = std::pair(cost.without, cost.with);
    const auto number = [](double value) { return fmt::format("{:.0f}", value); };
    std::vector<std::string> row = {
        cost.shape.name, number(cost.bare), "-", number(without), "-", number(with), "-", "-"};
    if (!peer.empty()) {
      const double theirs = figure(peer, cost.shape, "stream_ctx") - figure(peer, cost.shape, bare_launch);
      row[2] = number(theirs);
      row[4] = fmt::format("{:.2f}", without / theirs);
      row[6] = fmt::format("{:.2f}", with / theirs);
      row[7] = at_most(0.5).text();
    }
    table.add_row(row);
  }
  return table.text();
}

// Behind the measurements, since counting takes time too.
void tell_driver_calls(Results& results, Gpu& gpu) {
  const std::string device = fmt::format("cuda:{}", gpu.ordinal);
  fmt::print("\ncalls of the driver for each launch of empty kernels, and the time of each call:\n");
  for (const Shape& shape : shapes) {
    Bare bare(gpu, shape);
    Ours plain(device, false), replayed(device, true);
    const auto tell = [&](const char* form, const std::function<void()>& work) {
      work();
      const auto calls = count_driver_calls(work);
      double sum = 0;
      for (const DriverCall& call : calls) sum += static_cast<double>(call.calls) / shape.launches();
      results.add({fmt::format("{}, driver calls, {}", shape.name, form), sum, "calls", {}, ""});
      fmt::print("  {}, {}: {}\n", shape.name, form, text_of(calls, shape.launches()));
    };
    tell("bare streams and events", [&] { bare.run(shape, 0); });
    tell("without replay", [&] { plain.run(shape, 0); });
    tell("with replay", [&] { replayed.run(shape, 0); });
  }
  fmt::print("\n");
}

int run(const std::string& cudastf, const std::string& peer_results) {
  PeerFigures peer;
  if (!peer_results.empty()) check_complete(peer = read_peer_figures(peer_results));
  auto gpu = open_gpu();
  if (!gpu) return 0;
  PeerRuns peer_runs(cudastf);
  if (peer.empty() && cudastf.empty())
    fmt::print("CUDASTF is left out: script/bench overhead --cudastf FOLDER, with a checkout of NVIDIA/cccl\n");
  Results results("overhead");
  results.also_on(gpu->text());
  std::vector<HostCosts> empty;
  peer_runs.run();
  for (const Shape& shape : shapes) {
    empty.push_back(host_costs(shape, *gpu));
    if (empty.size() % 2 == 0) peer_runs.run();
  }
  if (!cudastf.empty()) peer = peer_runs.figures();
  for (const Shape& shape : shapes)
    for (const unsigned nanoseconds : {0u, 1000u}) measure(results, shape, nanoseconds, *gpu);
  compare(results, empty, peer);
  tell_driver_calls(results, *gpu);
  fmt::print("{}\n", glance(empty, peer));
  return results.finish();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Chains and fans of small kernels on a GPU: throughput, and what the host pays for a launch");
  const char* built = std::getenv("HEDDLE_CUDASTF");
  std::string cudastf = built != nullptr ? built : "", peer_results;
  app.add_option("--cudastf", cudastf,
                 "The program of peers/cudastf.cu, run beside Heddle's (default: $HEDDLE_CUDASTF)");
  app.add_option("--peer-results", peer_results, "What it has printed in another run, in place of running it")
      ->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  try {
    return run(peer_results.empty() ? cudastf : "", peer_results);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
