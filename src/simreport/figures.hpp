// Figures of launches as rows, for texts, pages and comparisons.
#pragma once

#include <string>
#include <vector>

#include "simreport/run.hpp"

namespace heddle::simreport {

struct Figure {
  std::string name, value, unit;  // unit: "%" or the like, or empty
};

// Of one launch.
std::vector<Figure> figures_of(const Machine& machine, const Launch& launch);
// Launches of one kernel with one shape are counted together. The first of each, and how many there are.
struct KernelSum {
  const Launch* first = nullptr;
  std::size_t launches = 0;
  double cycles = 0;
  std::size_t estimated = 0;  // launches whose cycles are estimates
};
// "3 launches, 12 cycles together", and how many of these are estimates.
std::string text_of(const KernelSum& sum);
// What the figures of a sampled launch are of; empty for others.
std::string sample_note(const Launch& launch);
std::vector<KernelSum> sums_of(const Run& run);

std::string share(double part, double all);              // "12.3"
std::string shape_of(const Launch& launch);              // "16x16 blocks of 256 threads"
std::string report_text(const Run& run);                 // `heddle sim report`
std::string compare_text(const std::vector<Run>& runs);  // `heddle sim compare`

}  // namespace heddle::simreport
