// A sweep: machines x kernels x options as a list of independent runs (docs/simulator.md has the form of the file).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sweep {

struct PlannedRun {
  std::size_t number = 0;  // from 1, in the order machines, kernels, options
  std::string machine, kernel, options;
  std::filesystem::path source;
  std::vector<std::string> arguments;  // of `heddle launch`
  // Equal for equal work: names, options, arguments, and the contents of the machine file, the kernel and inputs.
  std::string key;
  // As --device takes it, with this report.
  std::string device(const std::string& report) const;
};

struct Plan {
  std::filesystem::path file, results;
  std::vector<PlannedRun> runs;
};

// Throws as read_file does; parse_error with file and key for what is no sweep.
Plan read_plan(const std::filesystem::path& file);
Plan parse_plan(std::string_view text, const std::filesystem::path& file);

}  // namespace heddle::sweep
