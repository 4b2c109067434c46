// How the experiments on a device are to be run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench::lithos_gpu {

struct Settings {
  std::string device = "cuda:0";
  unsigned workers = 0;   // of the CPU device; 0: all
  double seconds = 1.5;   // that a run is measured for
  double warm_up = 0.35;  // before that: what is made once is made here, and the policy learns
  double load = 0.8;      // of the latency tenant, of what it can do alone
  double limit = 240;     // seconds, of the whole program
  std::uint64_t seed = 1;
  double scale = 1;                   // of the models' times
  std::vector<std::string> only;      // experiments; empty: all
  std::vector<std::string> policies;  // of the comparisons; empty: all
};

}  // namespace heddle::bench::lithos_gpu
