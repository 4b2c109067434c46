// Runs the jobs of a batch under a scheduling policy, on the dispatcher of managed mode.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "batch/executor.hpp"
#include "sched/policy.hpp"

namespace heddle::batch {

// A launch that arrives at a time.
struct Job {
  Kernel* kernel = nullptr;
  std::uint64_t arrival_ns = 0;
};

// Arrival times of `count` jobs of a Poisson process, ascending; the same for the same seed on every machine. Throws
// invalid_argument if they reach beyond 1e9 s.
std::vector<std::uint64_t> poisson_arrivals(double per_second, std::size_t count, std::uint64_t seed);

struct JobTimes {
  std::uint64_t begin_ns = 0, end_ns = 0;  // its first blocks were submitted, its last have ended
};

// A reason that the policy gave, and when.
struct Reason {
  std::uint64_t at_ns = 0;
  std::string text;
};

struct BatchResult {
  std::uint64_t total_ns = 0;   // from the first arrival to the last end
  std::vector<JobTimes> jobs;   // as they were given
  std::vector<Reason> reasons;  // where the policy explains itself
  std::uint64_t decisions = 0, ranges = 0;
  double decision_seconds = 0;  // of the host, in all decisions
  double longest_decision = 0;  // seconds
  double choice_seconds = 0;    // in those that chose what runs together: the policy has explained them
};

// Launches of a kernel run one after the other, in the order of their arrival, if Kernel::ordered(); nothing else is
// ordered. `corun`: the model of the executor's device; null: kernels do not share its processors. Throws the error of
// a kernel.
// `ended_blocks`: grows by those that have ended, for other threads to look at.
BatchResult run_batch(Executor& executor, const std::vector<Job>& jobs, std::unique_ptr<sched::Policy> policy,
                      const sched::CoRunDevice* corun, std::atomic<std::uint64_t>* ended_blocks = nullptr);

}  // namespace heddle::batch
