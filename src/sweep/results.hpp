// What the runs of a sweep have given, in one SQLite file that several processes share.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/database.hpp"
#include "sweep/plan.hpp"

namespace heddle::sweep {

struct Result {
  std::string state;                                                                     // "running", "done", "failed"
  double cycles = 0, ipc = 0, occupancy = 0, simd_efficiency = 0, dram_utilisation = 0;  // cycles: of all launches
  std::string error;
};

// One thread at a time; each thread and process opens the file for itself. All functions throw DatabaseError.
class Results {
 public:
  // `clock` outlives it.
  Results(const std::filesystem::path& file, const base::Clock& clock);

  // Whether the caller shall do the run: nobody has done it, and nobody is at it. Who is at it is known by host,
  // process and the time of its start: a run of a process that has ended is taken over; one of another host when that
  // has not called keep_claims() for `stale_seconds`, by the clocks of both hosts.
  bool claim(const PlannedRun& run);
  static constexpr int stale_seconds = 300;
  // Says that this process is still at the runs it has claimed.
  void keep_claims();
  void finish(const PlannedRun& run, const Result& result, const std::string& report);
  std::optional<Result> find(const PlannedRun& run);

 private:
  base::Database database_;
};

}  // namespace heddle::sweep
