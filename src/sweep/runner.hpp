// Runs a sweep on the cores of this machine: each run is a process, `heddle launch`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sweep/plan.hpp"
#include "sweep/results.hpp"

namespace heddle::sweep {

struct RunnerOptions {
  std::filesystem::path program;  // heddle
  unsigned jobs = 1;              // at a time
  // Called after each run that was done here, by one thread at a time.
  std::function<void(const PlannedRun&, const Result&)> done;
};

// Does those of these runs that nobody has done or is at. A run that fails is noted, and the others go on. Throws
// io_error and DatabaseError.
void run_all(const Plan& plan, const std::vector<PlannedRun>& runs, const RunnerOptions& options);

// The table of these runs' results, in their order.
std::string results_text(const std::vector<PlannedRun>& runs, Results& results);

}  // namespace heddle::sweep
