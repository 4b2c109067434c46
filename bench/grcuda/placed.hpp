// The benchmarks on several devices, whose launches the runtime places, against one of them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure.hpp"
#include "support/results.hpp"

namespace heddle::bench::grcuda {

struct PlacedOptions {
  std::string devices;  // ids, comma separated; two or more
  Scheduling::Placement placement = Scheduling::Placement::min_transfer_size;
  unsigned blocks_per_processor = 8;
  std::vector<unsigned> blocks;  // threads of one-dimensional ones
  Effort effort;
};

// The policies' names, by value.
inline constexpr const char* placement_names[] = {
    "first", "round_robin", "stream_aware", "min_transfer_size", "minmin_transfer_time", "minmax_transfer_time"};
// Throws std::invalid_argument.
Scheduling::Placement placement_named(const std::string& name);

// One benchmark at one size with one block size.
inline constexpr const char* placed_forms[] = {"all devices", "one device", "one device, not cut"};

struct PlacedRow {
  std::string benchmark, size;
  unsigned block = 0;
  // Of the program on all devices; of the same on the first; where Place::parts makes another program of it, of that of
  // one part on the first, too.
  Measured measured;
  double ratio() const;  // of the faster one on the first over that on all
};

// The same program runs on all devices and on the first. Arrays are cut into as many parts as there are devices, where
// the program has parts.
class Placed {
 public:
  // `kernels` as in Place.
  Placed(const PlacedOptions& options, const std::filesystem::path& kernels);
  bool on_gpus() const;
  std::vector<PlacedRow> run(const Named& named, double gigabytes);
  const Runtime& all() const { return all_; }

 private:
  PlacedOptions options_;
  Runtime all_, one_;
  Place cut_, whole_;
};

std::string table(std::span<const PlacedRow> rows);
// Rows are named "B&S, 4 GB, block 256, all devices" (ms) and "..., over one device" (x); means "B&S, over one device".
// `bars`: those for two GPUs.
void add_results(std::span<const PlacedRow> rows, bool bars, Results& results);

}  // namespace heddle::bench::grcuda
