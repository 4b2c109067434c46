// The lines of a report file: the machine, a function's text, a launch.
#pragma once

#include <string>
#include <vector>

#include "device/launch_config.hpp"
#include "device/sim/block_context.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/record/line_counts.hpp"
#include "device/sim/record/thread_progress.hpp"
#include "device/sim/record/time_series.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device::sim {

// What is known of a launch before it runs.
struct LaunchFacts {
  const machine::Kernel& kernel;
  const LaunchConfig& config;
  BlockRange range;
  const GridWork& work;
};

// Sums since the first launch came to an idle machine, `cycle` cycles ago.
struct MemorySample {
  Cycle cycle = 0;
  std::uint64_t dram_bytes = 0, l1_hits = 0, l1_look_ups = 0, l2_hits = 0, l2_look_ups = 0;
};

struct FunctionLines {
  std::uint64_t number = 0;  // of the function in the report
  const machine::Code* code = nullptr;
  std::vector<LineCount> lines;
};

struct RecordedFigures {
  const KernelStatistics& statistics;
  TimeSeries series;
  const std::vector<MemorySample>& memory;
  std::vector<FunctionLines> lines;
  const std::string& failure;
  const ThreadProgress* progress = nullptr;  // of the first block of an SM; null: of none
};

// Each is one object of JSON and a line end.
std::string machine_json(const MachineDescription& machine, const std::string& id);
// With the text of each instruction, its line in the PTX and, where .loc says so, in the source; and the text of these
// lines where the source's file is there.
std::string function_json(const ptx::Module& module, const machine::Code& code, std::uint64_t number);
std::string launch_json(const MachineDescription& machine, const LaunchFacts& launch, const RecordedFigures& figures,
                        std::uint64_t number);

}  // namespace heddle::device::sim
