// What a device did during one execution of a benchmark, and how short it could have been.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/overlap.hpp"
#include "benchmark.hpp"

namespace heddle::bench::grcuda {

struct Timeline {
  std::vector<base::Interval> intervals;  // in the order in which they begin
  double seconds = 0;                     // of the execution, as the host saw it
};

// Copies wait for each other in a GPU's copy engine, one for each direction, and a timeline has their waiting in it:
// makes each begin where the one before it in the same direction has ended. The last `reads` that begin go to the host,
// the others to the GPU. The timeline is in the order in which it begins, and stays so.
void let_copies_take_turns(std::vector<base::Interval>& timeline, std::size_t reads);

// The second execution on a runtime of its own, which writes its timeline: what is measured elsewhere is not traced.
// Throws Error; std::runtime_error when the timeline does not hold the benchmark's launches.
Timeline trace(const Benchmark& benchmark, const std::string& device, const Scheduling& scheduling, const Shape& shape);

// A picture (src/trace/picture.hpp) of such an execution, as an SVG file. Throws Error.
void draw(const Benchmark& benchmark, const std::string& device, const Shape& shape,
          const std::filesystem::path& picture);

// Seconds of the longest path through the benchmark's plan, with the times of a serial timeline: how long an execution
// takes when nothing slows down anything else. A launch comes behind its own copies; `transfers` false leaves those
// out. Throws std::runtime_error when the timeline is no serial one of this plan.
double contention_free(const Plan& plan, const Timeline& serial, bool transfers);

}  // namespace heddle::bench::grcuda
