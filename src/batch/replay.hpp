// Runs a batch on measured rates instead of a device: what a schedule would take, in microseconds of the host. For many
// schedules of the same kernels, as the paper's Monte Carlo simulation (section 5.4).
#pragma once

#include <memory>

#include "batch/executor.hpp"
#include "sched/policy/pair_rates.hpp"

namespace heddle::batch {

// Slices of the two oldest kernels in flight go on at the rates of their measured ratio; a kernel alone at its own. Of
// the measured ratios, that with the nearest share of the first kernel counts. Kernels have profiles; `corun` outlives
// it. `launch_ns`: from a submission to its first block, where the device is empty.
std::unique_ptr<Executor> make_replay_executor(const sched::CoRunDevice& corun, sched::MeasuredRates::Table table,
                                               unsigned processors, double clock_mhz, std::uint64_t launch_ns);

}  // namespace heddle::batch
