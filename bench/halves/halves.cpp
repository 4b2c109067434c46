// Steps of a stencil, each cut into one part for each device. The parts read each other's borders: one row of the plate
// on both sides of each cut. Heddle finds in the PTX which bytes a part reads and writes, so that only those rows move.
//   halves --devices cuda:0,cuda:1
//   halves --devices cpu,interp --width 64 --height 66 --steps 6 --check
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/heddle.hpp"
#include "heddle/moved.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::string> devices{"cuda:0", "cuda:1"};
  unsigned width = 16'384, height = 16'384, steps = 100;
  int rounds = 9;
  bool check_only = false;
};

Options parse(int count, char** arguments) {
  Options options;
  CLI::App app("Steps of a stencil in parts on several devices.");
  app.add_option("--devices", options.devices, "ids; the first one alone is the peer")->delimiter(',');
  app.add_option("--width", options.width, "points of a row")->check(CLI::Range(3, 1 << 15))->capture_default_str();
  app.add_option("--height", options.height, "rows")->check(CLI::Range(3, 1 << 15))->capture_default_str();
  app.add_option("--steps", options.steps, "of a run")->check(CLI::Range(1, 100'000))->capture_default_str();
  app.add_option("--rounds", options.rounds, "measured runs")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_flag("--check", options.check_only, "compares the results and counts the copies, and measures nothing");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

std::string joined(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : ",") + id;
  return text;
}

std::uint64_t all_bytes(const std::vector<Moved>& list) {
  std::uint64_t bytes = 0;
  for (const Moved& moved : list) bytes += moved.bytes;
  return bytes;
}

// A plate on these devices, each of which has a part of its rows.
class Plate {
 public:
  Plate(const Options& options, const std::vector<std::string>& devices)
      : options_(options),
        devices_(devices),
        runtime_({.devices = joined(devices)}),
        kernel_(runtime_
                    .load_ptx_file(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels" /
                                   "stencil.ptx")
                    .kernel("heat")),
        from_(runtime_.array<float>(std::size_t{options.width} * options.height)),
        to_(runtime_.array<float>(from_.size())) {
    std::size_t i = 0;
    for (float& point : from_.write()) point = static_cast<float>(i++ * 2654435761U % 1000) / 1000;
  }

  void run(unsigned steps) {
    for (unsigned step = 0; step < steps; ++step) {
      for (std::size_t part = 0; part < devices_.size(); ++part) {
        const BlockRange blocks{first_block(part), first_block(part + 1)};
        runtime_.launch(kernel_, {.grid = {blocks_}, .block = {threads}, .blocks = blocks, .device = devices_[part]},
                        static_cast<int>(options_.width), static_cast<int>(options_.height), 0.2f, from_, to_);
      }
      std::swap(from_, to_);
    }
  }
  double seconds(unsigned steps) {
    const auto start = Clock::now();
    run(steps);
    runtime_.synchronize();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::uint64_t moved() const { return all_bytes(heddle::moved(from_)); }
  std::vector<float> points() const {
    const std::span<const float> points = from_.read();
    return {points.begin(), points.end()};
  }
  // Bytes that must move in a step: a row to each side of each cut.
  std::uint64_t border() const { return 2 * (devices_.size() - 1) * options_.width * sizeof(float); }

 private:
  static constexpr unsigned threads = 256;

  // The cuts are at whole blocks.
  std::uint64_t first_block(std::size_t part) const { return blocks_ * part / devices_.size(); }

  const Options& options_;
  const std::vector<std::string> devices_;
  Runtime runtime_;
  Kernel kernel_;
  Array<float> from_, to_;
  const unsigned blocks_ = static_cast<unsigned>((from_.size() + threads - 1) / threads);
};

// Whether both plates have the same points after the same steps, and no more than the borders has moved meanwhile.
bool verify(const Options& options) {
  Plate one(options, {options.devices.front()}), parts(options, options.devices);
  one.run(2);
  parts.run(2);  // the second step reads what the first one wrote: from now on each part has its rows
  const std::uint64_t before = parts.moved();
  one.run(options.steps);
  parts.run(options.steps);
  const std::uint64_t moved = parts.moved() - before, border = options.steps * parts.border();
  if (moved != border) {
    fmt::print("WRONG: {} bytes moved in {} steps; the borders have {}\n", moved, options.steps, border);
    return false;
  }
  const std::vector<float> expected = one.points(), found = parts.points();
  if (std::memcmp(expected.data(), found.data(), found.size() * sizeof(float)) != 0) {
    fmt::print("WRONG: the points of {} devices are not those of one\n", options.devices.size());
    return false;
  }
  return true;
}

void measure(bench::Results& results, const Options& options) {
  Plate one(options, {options.devices.front()}), parts(options, options.devices);
  one.run(2);
  parts.run(2);
  std::vector<double> alone, together, gain;
  const std::uint64_t before = parts.moved();
  for (int round = 0; round <= options.rounds; ++round) {
    const double first = one.seconds(options.steps), second = parts.seconds(options.steps);
    if (round == 0) continue;  // compiles, and makes queues
    alone.push_back(first);
    together.push_back(second);
    gain.push_back(first / second);
  }
  const std::uint64_t steps = static_cast<std::uint64_t>(options.rounds + 1) * options.steps;
  const std::string name = fmt::format("stencil {} x {}", options.width, options.height);
  results.add(
      {name + ", a step on " + options.devices.front(), 1e6 * bench::median(alone) / options.steps, "us", {}, ""});
  results.add(
      {name + ", a step on " + joined(options.devices), 1e6 * bench::median(together) / options.steps, "us", {}, ""});
  results.add({name + ", parts", bench::median(gain), "x",
               options.devices.size() == 2 ? std::optional(bench::at_least(1.8)) : std::nullopt, "one device"});
  results.add({name + ", least of the rounds", *std::ranges::min_element(gain), "x", {}, "one device"});
  results.add({name + ", bytes moved in a step over the border's",
               static_cast<double>(parts.moved() - before) / static_cast<double>(steps * parts.border()), "x",
               bench::at_most(1), "the rows at the cuts"});
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  try {
    if (!verify(options)) return 1;
    if (options.check_only) {
      fmt::print("as on one device; only borders moved\n");
      return 0;
    }
    bench::Results results("halves");
    measure(results, options);
    return results.finish();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
