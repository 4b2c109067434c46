// A report file of a simulated device: what report=FILE.json has written (docs/simulator.md).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace heddle::simreport {

struct Slots {
  double cycles = 0, slots = 0;
  std::vector<double> uses, lanes, pipe_cycles, pipe_counts;
};

struct Cache {
  double hits = 0, misses = 0, pending_hits = 0;
  double look_ups() const { return hits + misses + pending_hits; }
};

struct MemoryFigures {
  bool modelled = false;  // false: ideal
  double global_accesses = 0, local_accesses = 0, shared_accesses = 0, constant_accesses = 0, atomic_accesses = 0;
  double transactions = 0, transaction_bytes = 0, useful_bytes = 0, shared_passes = 0, shared_least_passes = 0;
  std::map<std::string, double> stall_cycles;
  Cache l1, l2;
  double dram_bytes = 0, dram_utilisation = 0, row_hits = 0, row_misses = 0, row_conflicts = 0;
};

// Intervals of the same number of cycles; in each the slots by use and by active lanes.
struct Series {
  double interval = 1;
  std::vector<std::vector<double>> uses, lanes;
  std::vector<std::array<double, 6>> memory;  // cycle; sums of DRAM bytes, L1 hits, look-ups, L2 hits, look-ups
};

// An instruction, or a line of the source.
struct Line {
  std::string place, text;  // "file.cu:12" or the line of the PTX
  double issues = 0, lanes = 0;
  std::vector<double> cycles;  // of warps, by use
  double all_cycles() const;
};

// What a launch that was to be sampled says of it.
struct Sample {
  bool asked = false;
  std::string refusal;  // why all blocks were simulated; empty: the cycles are an estimate
  double waves = 0, blocks = 0, of_blocks = 0, simulated_cycles = 0, low = 0, high = 0, confidence = 0;
  bool estimated() const { return asked && refusal.empty(); }
};

struct Launch {
  std::uint64_t number = 0;
  std::string kernel, failure;
  std::array<std::uint64_t, 3> grid{}, block{};
  double blocks = 0, registers = 0, shared = 0;
  double cycles = 0, seconds = 0, ipc = 0, occupancy = 0, simd_efficiency = 0;
  Sample sample;
  double simulated_seconds = 0;  // of the blocks that were simulated, which the counts are of
  double f32_operations = 0, f64_operations = 0, warp_instructions = 0, thread_instructions = 0;
  Slots sm;
  std::vector<Slots> by_sm;
  MemoryFigures memory;
  Series series;
  std::vector<Line> ptx, source;  // in their order; `source` is empty where the PTX names none
};

struct Machine {
  std::string id, name, title;
  double sms = 0, sm_mhz = 0, schedulers = 0, warps_per_sm = 0;
  double f32_per_s = 0, f64_per_s = 0, dram_bytes_per_s = 0, l2_bytes_per_s = 0;
  std::map<std::string, std::string> policies;
  std::vector<std::string> slot_uses, lane_buckets, warp_uses, pipes;
};

struct Run {
  std::string file;
  Machine machine;
  std::vector<Launch> launches;
};

// Throws as read_file does; parse_error with the line for what is no report.
Run read_run(const std::filesystem::path& file);
Run parse_run(const std::string& text, const std::string& file);

}  // namespace heddle::simreport
