// The program of a page: its options, and its tables one after the other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runner.hpp"
#include "support/results.hpp"

namespace heddle::bench::sim_policies {

// One table; its text is Markdown.
struct TablePart {
  const char* title;
  std::function<std::string(Runner&, const MachineDescription&, Results&)> make;
};
// Options: --verbose, --items N, --rounds N, --kernels LIST, --skip N and --parts N of the tables, --page FILE for the
// page that gets them. `results`: the name of the file of figures. `items`: threads of the grid where --items is not
// given; 0: each workload's own. Returns what main returns.
int make_tables(int argc, char** argv, const std::string& results, const MachineDescription& machine,
                const std::vector<TablePart>& parts, unsigned items = 0);

}  // namespace heddle::bench::sim_policies
