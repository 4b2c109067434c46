// What was measured, as a table and as figures with bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/overlap.hpp"
#include "measure.hpp"
#include "support/results.hpp"

namespace heddle::bench::grcuda {

// One benchmark at one size with one block size.
struct Row {
  std::string benchmark, size;  // "VEC", "4 GB"
  unsigned block = 0;           // threads of a one-dimensional one
  Measured measured;
};

// Of an execution that was traced.
struct Shown {
  std::string benchmark, size;
  unsigned block = 0;
  base::Overlap parallel, serial;
  double bound = 0, bound_of_kernels = 0;  // contention-free seconds: with and without transfers
  double seconds = 0;                      // of the traced parallel execution
};

std::string table(const std::vector<Row>& rows);
std::string table(const std::vector<Shown>& shown);

// Rows are named "VEC, 4 GB, block 256, parallel" (ms) and "..., over serial" (x); means over sizes and block sizes
// "VEC, over serial"; over all "all, over serial". `bars`: they are for GPUs.
void add_results(const std::vector<Row>& rows, bool bars, Results& results);
void add_results(const std::vector<Shown>& shown, bool bars, Results& results);

}  // namespace heddle::bench::grcuda
