// The kernels of kernels/, with their sizes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace heddle::bench::sim_policies {

struct Workload {
  std::string_view kernel, file;  // file: without ending
  bool divergent = false;
  unsigned threads = 256;  // of a block
  unsigned items = 1536;   // threads of the grid
  unsigned least = 0;      // of these at least, where a program has another number for all kernels
};

// The lists have only these kernels from now on ("bfs,ray"; empty: all).
void choose_kernels(std::string_view names);

// In the papers' suites or of their kind, and some of today.
std::span<const Workload> divergent();
std::span<const Workload> regular();
// Kernels of small blocks for questions of residency, and kernels of which registers are the limit.
std::span<const Workload> scheduling_limited();
std::span<const Workload> capacity_limited();
// The suite of Simultaneous Branch and Warp Interweaving.
std::span<const Workload> interweaving_suite();
// The counter-examples to formed warps.
std::span<const Workload> counter_examples();

}  // namespace heddle::bench::sim_policies
