// All kernels on both simulators, each run a process of its own; and what follows from their figures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "one.hpp"

namespace heddle::bench::peers {

struct Survey {
  std::filesystem::path program, checkout, machine;  // this program; GPGPU-Sim's folder; Heddle's machine file
  std::filesystem::path rows;                        // figures are kept here, a line of JSON each
  comparison::Sizes sizes = comparison::Sizes::small;
  double seconds = 7200;  // the most for one run
};

struct Row {
  std::string kernel;
  Figures heddle, gpgpusim;
};

// Runs what `rows` does not have yet. A run that fails is printed and left out. Kernels are in the list's order; cycles
// are less those of a kernel that does nothing.
std::vector<Row> run_survey(const Survey& survey, const std::vector<std::string>& kernels);

}  // namespace heddle::bench::peers
