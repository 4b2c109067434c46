// What a differential run has found, for people and for programs.
#pragma once

#include <string>

#include "random/differential/supervisor.hpp"

namespace heddle::test::random_kernel {

struct RunInfo {
  std::uint64_t begin = 0, end = 0;
  bool instructions = false, for_gpu = false;
  std::map<std::string, std::string> device_names;  // by id
  std::string commit;
};

// Whether devices agree wherever they gave a result. A driver's compiler that dies on a kernel is not ours to mend.
bool agrees(const Tally& tally);
std::string progress_line(const Tally& tally, std::uint64_t seeds);
// A table, and under it the seeds that are not equal.
std::string report_text(const Tally& tally, const RunInfo& info);
std::string report_json(const Tally& tally, const RunInfo& info);

}  // namespace heddle::test::random_kernel
