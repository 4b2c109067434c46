// Runs a workload on a simulated machine, and checks its results against those of the machine's first run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/sim/sim.hpp"
#include "ptx/ir.hpp"
#include "workloads.hpp"

namespace heddle::bench::sim_policies {

using device::sim::KernelStatistics;
using device::sim::MachineDescription;

class Runner {
 public:
  // A run is simulated once, and its figures are kept. The policies are options as behind a machine's name:
  // ",divergence=dwf,formation=pc". `threads`: of a block; 0: the workload's. `ideal`: memory without misses. Throws
  // Error, and internal if a result differs from an earlier run's.
  KernelStatistics run(const MachineDescription& machine, const std::string& policies, const Workload& workload,
                       unsigned threads = 0, bool ideal = false);
  // Prints each run, with the seconds that it took.
  bool verbose = false;
  double processor_seconds = 0;  // of all simulations so far
  unsigned items = 0;            // threads of the grid; 0: the workload's
  unsigned rounds = 1;           // items that a thread of a divergent kernel has, one after the other

 private:
  std::shared_ptr<const ptx::Module> module_of(std::string_view file);
  std::map<std::string, std::shared_ptr<const ptx::Module>, std::less<>> modules_;
  std::map<std::string, std::vector<unsigned>> results_;  // by kernel and shape
  std::map<std::string, KernelStatistics> figures_;       // by machine, policies, kernel and shape
};

// A preset with so many of its SMs, and as much of its memory for each.
MachineDescription part_of(const std::string& preset, unsigned sms);

double harmonic_mean(const std::vector<double>& values);

}  // namespace heddle::bench::sim_policies
