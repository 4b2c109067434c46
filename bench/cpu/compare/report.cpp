#include "compare/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.hpp"
#include "support/statistics.hpp"

namespace heddle::bench {
namespace {

// Issue and docs/performance.md: what the CPU device must reach.
constexpr double mean_against_pocl = 1.3, worst_against_pocl = 0.8, mean_against_cpp = 0.9, of_memory_speed = 0.95;

constexpr const char* cpp_peer = "C++ loops, clang++-19 -O3 -march=native -fopenmp";
constexpr const char* reordered_peer = "the same with omp simd reduction where there are long sums";

std::string milliseconds(double seconds) { return seconds > 0 ? fmt::format("{:.2f}", seconds * 1e3) : "-"; }
std::string gigabytes(double bytes, double seconds) {
  return seconds > 0 ? fmt::format("{:.1f}", bytes / seconds * 1e-9) : "-";
}
std::string times(const std::optional<Spread>& s) {
  return s ? fmt::format("{:.2f} ({:.2f}-{:.2f})", s->median, s->low, s->high) : "-";
}

// Against the faster version of the loops where there are two.
std::vector<double> against_faster_loops(const std::vector<Row>& rows) {
  std::vector<double> found;
  for (const Row& row : rows) {
    if (!row.against_cpp) continue;
    const double plain = row.against_cpp->median;
    found.push_back(row.against_reordered ? std::min(plain, row.against_reordered->median) : plain);
  }
  return found;
}

std::vector<double> medians(const std::vector<Row>& rows, std::optional<Spread> Row::* ratio, bool with_memory) {
  std::vector<double> found;
  for (const Row& row : rows) {
    if (row.*ratio && (with_memory || !row.bound_by_memory)) found.push_back((row.*ratio)->median);
  }
  return found;
}

}  // namespace

std::string comparison_table(const std::vector<Row>& rows) {
  using base::Align;
  base::Table table({{"benchmark"},
                     {"Heddle ms", Align::right},
                     {"PoCL ms", Align::right},
                     {"C++ ms", Align::right},
                     {"PoCL / Heddle", Align::right},
                     {"C++ / Heddle", Align::right},
                     {"C++ reordered / Heddle", Align::right}});
  for (const Row& row : rows) {
    table.add_row({row.name, milliseconds(row.heddle), milliseconds(row.pocl), milliseconds(row.cpp),
                   times(row.against_pocl), times(row.against_cpp),
                   row.against_reordered ? times(row.against_reordered) : ""});
  }
  return table.text();
}

std::string memory_table(const std::vector<Row>& rows) {
  using base::Align;
  base::Table table({{"bound by memory"},
                     {"Heddle GB/s", Align::right},
                     {"C++ GB/s", Align::right},
                     {"C++ past the caches GB/s", Align::right},
                     {"Heddle / fastest C++", Align::right}});
  for (const Row& row : rows) {
    if (!row.against_memory) continue;
    table.add_row({row.name, gigabytes(row.bytes, row.heddle), gigabytes(row.bytes, row.cpp),
                   gigabytes(row.bytes, row.streaming), times(row.against_memory)});
  }
  return table.rows() > 0 ? table.text() : "";
}

Results comparison_results(const std::vector<Row>& rows, const Peers& peers, bool complete) {
  Results results("cpu");
  const auto add_mean = [&](const std::vector<double>& ratios, const char* name, double bar, const std::string& peer) {
    if (complete && !ratios.empty()) results.add({name, geometric_mean(ratios), "x", at_least(bar), peer});
  };
  // What memory alone decides says nothing about a compiler, and is not in the list that the bar is about.
  add_mean(medians(rows, &Row::against_pocl, false), "PoCL / Heddle, geometric mean", mean_against_pocl, peers.pocl);
  add_mean(medians(rows, &Row::against_cpp, true), "C++ / Heddle, geometric mean", mean_against_cpp, cpp_peer);
  add_mean(against_faster_loops(rows), "C++ with sums reordered / Heddle, geometric mean", mean_against_cpp,
           reordered_peer);
  for (const Row& row : rows) {
    results.add({row.name, row.heddle * 1e3, "ms", {}, ""});
    if (row.against_pocl) {
      results.add(
          {row.name + ", PoCL / Heddle", row.against_pocl->median, "x", at_least(worst_against_pocl), peers.pocl});
    }
    if (row.against_cpp) results.add({row.name + ", C++ / Heddle", row.against_cpp->median, "x", {}, cpp_peer});
    if (row.against_reordered) {
      results.add(
          {row.name + ", C++ with sums reordered / Heddle", row.against_reordered->median, "x", {}, reordered_peer});
    }
    if (row.against_memory) {
      results.add({row.name + ", part of the memory's speed", row.against_memory->median, "x",
                   at_least(of_memory_speed), "the fastest C++ loop, with or without non-temporal stores"});
    }
  }
  return results;
}

}  // namespace heddle::bench
