// How fast kernels run that share an SM. Kernelet (Zhong and He, arXiv 1303.5164), sections 4.4 and 4.5: Markov chains
// over the numbers of warps that wait for memory.
#pragma once

#include "model/corun/warp_states.hpp"

namespace heddle::model {

// One SM, as the model sees it. IPC is in instructions of warps per cycle.
struct SmModel {
  MemoryLatency latency = {};
  // Warp schedulers. The SM is modelled as so many independent SMs with one scheduler each: each has its part of the
  // warps and of the bandwidth, and the IPC is multiplied (section 4.5).
  unsigned schedulers = 1;
  // The chain's unit: warps, or blocks of so many warps, which move together. 1: warps. Coarser units are faster to
  // solve and underestimate the IPC.
  unsigned unit = 1;
  // Pairs of kernels with more states than this take the two kinds of waiting warps as one, with the mean latency and
  // the mean requests of both.
  std::size_t most_states = 700;
};

// In units of the chain, on one of the SMs with one scheduler; at least 1. Numbers of warps with the same units have
// the same IPC.
unsigned virtual_warps(const SmModel& sm, unsigned warps);

// The IPC of `warps` warps of a kernel alone on the SM (equations 2 to 4); 0 without warps.
double solo_ipc(const SmModel& sm, const KernelProfile& kernel, unsigned warps);

struct PairIpc {
  double first = 0, second = 0;
  double sum() const { return first + second; }
};
// Of two kernels with so many warps each (equations 5 to 7).
PairIpc pair_ipc(const SmModel& sm, const KernelProfile& first, unsigned first_warps, const KernelProfile& second,
                 unsigned second_warps);

// The part of the time that running them together saves (equation 1): `together` are their IPCs then, `first` and
// `second` those alone. 0: none; below 0: they take longer.
double coscheduling_profit(const PairIpc& together, double first, double second);

}  // namespace heddle::model
