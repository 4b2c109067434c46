// One run of a program with one configuration: parts, their threads, and the merging of their results.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/thread_cache.hpp"
#include "skeleton/program.hpp"
#include "tuning/auto_tuner.hpp"

namespace heddle::skeleton {

class FirstError;
class Part;

struct RunResult {
  Report report;
  tuning::Measured measured;
};

class Runner {
 public:
  Runner(Runtime& runtime, const Platforms& platforms, const base::Clock& clock)
      : runtime_(runtime), platforms_(platforms), clock_(clock), threads_("heddle-part") {}

  // Throws what a part threw first. Throws invalid_argument, before anything runs, where `forced` and the arguments'
  // sizes forbid the split.
  RunResult run(const Program& program, const std::vector<Value>& values, const knowledge::Configuration& configuration,
                bool forced);
  // The least share of the work that can be moved.
  double least_share(const Program& program, const knowledge::Configuration& configuration) const;

 private:
  std::vector<Range> cut(const Program& program, const std::vector<Execution>& executions,
                         const knowledge::Configuration& configuration, bool forced) const;

  // Returns how often parts met.
  std::uint64_t run_in_threads(const std::vector<std::unique_ptr<Part>>& parts, FirstError& error);
  void run_at_once(const std::vector<std::unique_ptr<Part>>& parts, FirstError& error);

  Runtime& runtime_;
  const Platforms& platforms_;
  const base::Clock& clock_;
  base::ThreadCache threads_;
};

// Arrays of the same types, sizes and content, for runs whose results are dropped. Each run begins as a run with the
// originals would: what the host alone had there, the host alone has here, with the originals' content. Devices keep
// the rest, and its content changes from run to run.
class Clones {
 public:
  // `values` outlive it and do not change. `from_host`: by slot, see Argument::host_only().
  Clones(Runtime& runtime, const Program& program, const std::vector<Value>& values, std::vector<bool> from_host);
  // Of the next run.
  const std::vector<Value>& fresh();

 private:
  const Program& program_;
  const std::vector<Value>& originals_;
  const std::vector<bool> from_host_;
  std::vector<Value> clones_;
};

// By slot: whether the host alone has the array. Before a run it shows what the run will copy.
std::vector<bool> from_host(const std::vector<Value>& values);

}  // namespace heddle::skeleton
