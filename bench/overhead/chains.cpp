// Chains and fans of small kernels: what Heddle gets out of a GPU, with replay and without, against a bare driver with
// hand-written streams and events; and what the host pays for a launch beyond the bare launch, against CUDASTF.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "chain_kernels.hpp"
#include "driver_calls.hpp"
#include "peer.hpp"
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

constexpr unsigned bare_launch = 0, stream_forms[] = {1, 2}, graph_form = 3;  // of the peer

// What a launch takes of the host, in nanoseconds: bare, and beyond that; and the same of the peer's forms.
struct Beyond {
  double bare = 0, more = 0, peer_bare = 0;
  struct Against {
    double more = 0, ratio = 0;  // the peer's; ours over the peer's
  } against[std::size(stream_forms)];
};

// All take turns, since a machine's speed changes from one second to the next. What counts is the median: of the
// differences, and of the ratios of what was measured in the same turn.
template <class Run>
Beyond beyond_bare(unsigned index, Gpu& gpu, Peer* peer, Run&& run) {
  const Shape& shape = shapes[index];
  Bare bare(gpu, shapes[0]);  // with one stream: launches take longer where the process has many
  std::vector<double> launches, more, peer_launches, peer_more[std::size(stream_forms)],
      ratios[std::size(stream_forms)];
  for (int i = -1; i < shape_measurements; ++i) {
    const double alone = bare.run_launches(shape, 0).host, beyond = run(shape).host - alone;
    const double theirs = peer ? peer->run(bare_launch, index).host : 0;
    for (unsigned form = 0; peer && form < std::size(stream_forms); ++form) {
      const double form_beyond = peer->run(stream_forms[form], index).host - theirs;
      if (i < 0) continue;
      peer_more[form].push_back(form_beyond);
      ratios[form].push_back(beyond / form_beyond);
    }
    if (i < 0) continue;
    launches.push_back(alone);
    more.push_back(beyond);
    peer_launches.push_back(theirs);
  }
  const double each = 1e9 / shape.launches();
  Beyond result{median(launches) * each, median(more) * each, median(peer_launches) * each, {}};
  for (unsigned form = 0; peer && form < std::size(stream_forms); ++form)
    result.against[form] = {median(peer_more[form]) * each, median(ratios[form])};
  return result;
}

// Of a shape of empty kernels.
struct HostCosts {
  Shape shape;
  double by_hand = 0;
  Beyond without, with;
  double peer_graph = 0;  // beyond the peer's bare launch
};

double graph_beyond_bare(unsigned index, Peer& peer) {
  std::vector<double> more;
  for (int i = -1; i < shape_measurements; ++i) {
    const double bare = peer.run(bare_launch, index).host, graph = peer.run(graph_form, index).host;
    if (i >= 0) more.push_back(graph - bare);
  }
  return median(more) * 1e9 / shapes[index].launches();
}

HostCosts host_costs(unsigned index, Gpu& gpu, Peer* peer) {
  const auto by_heddle = [&](bool replay) {
    Ours ours(fmt::format("cuda:{}", gpu.ordinal), replay);
    return beyond_bare(index, gpu, peer, [&](const Shape& shape) { return ours.run(shape, 0); });
  };
  const double by_hand = [&] {
    Bare streams(gpu, shapes[index]);
    return beyond_bare(index, gpu, nullptr, [&](const Shape& shape) { return streams.run(shape, 0); }).more;
  }();
  const Beyond without = by_heddle(false), with = by_heddle(true);
  return {shapes[index], by_hand, without, with, peer ? graph_beyond_bare(index, *peer) : 0};
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

// Host time for a launch beyond the bare one. Each side is measured against the bare launches of its own program.
void compare(Results& results, const std::vector<HostCosts>& all, bool with_peer) {
  for (const HostCosts& cost : all) {
    const std::string name = cost.shape.name + std::string(", host, ");
    results.add({name + "bare launch", cost.without.bare, "ns", {}, ""});
    results.add({name + "beyond the bare launch, streams and events by hand", cost.by_hand, "ns", {}, ""});
    results.add({name + "beyond the bare launch, without replay", cost.without.more, "ns", {}, ""});
    results.add({name + "beyond the bare launch, with replay", cost.with.more, "ns", {}, ""});
    if (!with_peer) continue;
    results.add({name + "CUDASTF's bare launch", cost.without.peer_bare, "ns", {}, ""});
    results.add({name + "beyond the bare launch, CUDASTF, graph_ctx", cost.peer_graph, "ns", {}, ""});
    for (unsigned form = 0; form < std::size(stream_forms); ++form) {
      const std::string against = fmt::format("CUDASTF, {}", peer_forms[stream_forms[form]]);
      const auto &without = cost.without.against[form], &with = cost.with.against[form];
      results.add({fmt::format("{}beyond the bare launch, {}", name, against), without.more, "ns", {}, ""});
      results.add(
          {fmt::format("{}Heddle over {}, without replay", name, against), without.ratio, "x", at_most(0.5), against});
      results.add(
          {fmt::format("{}Heddle over {}, with replay", name, against), with.ratio, "x", at_most(0.5), against});
    }
  }
}

// The same at a glance, against what of CUDASTF does what Heddle does: data as well as order, launches one by one.
std::string glance(const std::vector<HostCosts>& all, bool with_peer) {
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
    const auto number = [](double value) { return fmt::format("{:.0f}", value); };
    std::vector<std::string> row = {cost.shape.name,
                                    number(cost.without.bare),
                                    "-",
                                    number(cost.without.more),
                                    "-",
                                    number(cost.with.more),
                                    "-",
                                    "-"};
    if (with_peer) {
      row[2] = number(cost.without.against[0].more);
      row[4] = fmt::format("{:.2f}", cost.without.against[0].ratio);
      row[6] = fmt::format("{:.2f}", cost.with.against[0].ratio);
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

int run(const std::string& cudastf) {
  auto gpu = open_gpu();
  if (!gpu) return 0;
  std::optional<Peer> peer;
  if (!cudastf.empty()) peer.emplace(cudastf);
  if (!peer)
    fmt::print("CUDASTF is left out: script/bench overhead --cudastf FOLDER, with a checkout of NVIDIA/cccl\n");
  Results results("overhead");
  results.also_on(gpu->text());
  std::vector<HostCosts> empty;
  for (unsigned index = 0; index < std::size(shapes); ++index)
    empty.push_back(host_costs(index, *gpu, peer ? &*peer : nullptr));
  const bool with_peer = peer.has_value();
  peer.reset();
  for (const Shape& shape : shapes)
    for (const unsigned nanoseconds : {0u, 1000u}) measure(results, shape, nanoseconds, *gpu);
  compare(results, empty, with_peer);
  tell_driver_calls(results, *gpu);
  fmt::print("{}\n", glance(empty, with_peer));
  return results.finish();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Chains and fans of small kernels on a GPU: throughput, and what the host pays for a launch");
  const char* built = std::getenv("HEDDLE_CUDASTF");
  std::string cudastf = built != nullptr ? built : "";
  app.add_option("--cudastf", cudastf,
                 "The program of peers/cudastf.cu, run beside Heddle's (default: $HEDDLE_CUDASTF)")
      ->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  try {
    return run(cudastf);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
