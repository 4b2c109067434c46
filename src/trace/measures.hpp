// Figures of a timeline: how much of it overlaps, how short it could be, and what each kernel takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/overlap.hpp"
#include "trace/timeline.hpp"

namespace heddle::trace {

struct KernelFigures {
  std::string name;
  std::uint64_t launches = 0;
  double mean_seconds = 0, last_seconds = 0, total_seconds = 0;
  std::string last_grid, last_block;
  std::uint64_t last_shared = 0;  // bytes
};

struct Measures {
  double seconds = 0;  // from the first command's begin to the last one's end
  std::uint64_t kernels = 0, transfers = 0, failed = 0;
  base::Overlap overlap;  // GrCUDA's CT, TC, CC and TOT (Parravicini et al., IPDPS 2021, section V-F)
  // The longest path through the DAG. With times of a serial run it is the paper's contention-free bound: the time of
  // the whole if nothing slows down anything else. Nothing for a trace without task numbers.
  std::optional<double> path_seconds;
  std::vector<KernelFigures> by_kernel;  // in the order of their first launches
};

// `serial`: a timeline of the same program, launched one by one, whose times the path uses; null: this one's own. The
// time of a command is that of the command in the serial run with the same name (copies: the same direction and size)
// and the same place among those. Throws invalid_argument if the serial run has fewer of them.
Measures measure(const Timeline& timeline, const Timeline* serial = nullptr);

}  // namespace heddle::trace
