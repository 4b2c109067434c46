// What was measured, as a table and as results with their bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/measure.hpp"
#include "support/results.hpp"

namespace heddle::bench {

struct Row {
  std::string name;
  bool bound_by_memory = false;
  double bytes = 0;                                     // that a run moves; 0 where it is not bound by memory
  double heddle = 0, pocl = 0, cpp = 0, streaming = 0;  // seconds, medians; 0: was not there
  // Times faster than the peer; reordered: than the loops with leave to reorder sums, where there are such.
  std::optional<Spread> against_pocl, against_cpp, against_reordered, against_memory;
};

struct Peers {
  std::string pocl;  // version; empty: was not there
  bool cpp = false;
};

std::string comparison_table(const std::vector<Row>& rows);
// Of the benchmarks bound by memory, against the fastest of the C++ loops; empty when there are none.
std::string memory_table(const std::vector<Row>& rows);
// With the geometric means when `complete`, that is when every benchmark ran.
Results comparison_results(const std::vector<Row>& rows, const Peers& peers, bool complete);

}  // namespace heddle::bench
