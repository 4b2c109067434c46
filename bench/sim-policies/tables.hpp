// The program of a page: its options, its tables one after the other, and its picture.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bars.hpp"
#include "runner.hpp"
#include "support/results.hpp"

namespace heddle::bench::sim_policies {

using grcuda::Chart;

// What tables add to: figures for programs, and charts of the page's picture.
struct Output {
  Results& results;
  std::vector<Chart>& charts;
};

// One table; its text is Markdown.
struct TablePart {
  const char* title;
  std::function<std::string(Runner&, const MachineDescription&, Output&)> make;
};

struct PageProgram {
  const char* name;  // of the file of figures
  MachineDescription machine;
  std::vector<TablePart> parts;
  unsigned items = 0;        // threads of the grid where --items is not given; 0: each workload's own
  unsigned quick_items = 0;  // with --quick
};
// Options: --quick, --verbose, --items N, --rounds N, --kernels LIST, --skip N and --parts N of the tables, --page FILE
// for the page that gets them, and the picture beside it (.svg for .md). Returns what main returns.
int make_tables(int argc, char** argv, const PageProgram& program);

}  // namespace heddle::bench::sim_policies
