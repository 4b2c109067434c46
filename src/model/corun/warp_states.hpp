// The warps of one kernel on an SM as a Markov chain: how many of them wait for memory. Kernelet (Zhong and He, arXiv
// 1303.5164), section 4.4, with the corrections that `latency` and `wake_up` state.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::model {

// What the model needs to know of a kernel: figures that a profile of a few of its blocks gives.
struct KernelProfile {
  double memory_ratio = 0;           // R_m: instructions of a warp that access global memory, of all
  double uncoalesced = 0;            // of these, the part that makes several requests
  double uncoalesced_requests = 32;  // requests of such an instruction
  // Beyond the paper. A warp goes on until it needs what it has loaded: so many accesses are under way when it waits.
  double accesses_per_wait = 1;
  double misses = 1;  // requests of a coalesced access that no cache answers
  double far = 1;     // where its mean latency lies between that of the nearest cache (0) and that of DRAM (1)
  // Cycles for which an instruction occupies the pipe that the kernel needs most, of one scheduler's part of the SM, on
  // the mean, and which pipe it is. Kernels that need the same pipe most take turns there.
  double issue_cycles = 1;
  unsigned pipe = 0;
};

// The linear model of memory latency. The paper prints L = L0 + B/(a0 S) + b0, which falls as requests are added; this
// is what its text describes: requests that are under way queue for the bandwidth.
struct MemoryLatency {
  double base = 400;       // L0: cycles of a request alone
  double per_request = 0;  // a0/B: cycles that each request under way adds
  double offset = 0;       // b0
  // Of uncoalesced accesses; those have the same form.
  double uncoalesced_base = 400;
  double hit = 0;  // of what caches answer

  double coalesced(double requests) const { return base + per_request * requests + offset; }
  double uncoalesced(double requests) const { return uncoalesced_base + per_request * requests + offset; }
};

// Warps that wait for a coalesced and for an uncoalesced access.
struct Waiting {
  unsigned coalesced = 0, uncoalesced = 0;
  unsigned all() const { return coalesced + uncoalesced; }
};

class WarpStates {
 public:
  // `warps` > 0. Kernels without uncoalesced accesses have warps + 1 states, others (warps + 1)(warps + 2)/2.
  WarpStates(const KernelProfile& kernel, unsigned warps);

  unsigned warps() const { return warps_; }
  std::size_t count() const { return states_.size(); }
  const Waiting& state(std::size_t index) const { return states_[index]; }
  unsigned ready(std::size_t index) const { return warps_ - states_[index].all(); }
  double requests(std::size_t index) const {
    return (states_[index].coalesced + kernel_.uncoalesced_requests * states_[index].uncoalesced) *
           kernel_.accesses_per_wait * kernel_.misses;
  }
  // The probability of each of the count() states one round later. `wake_coalesced`, `wake_uncoalesced`: that a warp
  // which waits for such an access is ready then.
  void step(std::size_t from, double wake_coalesced, double wake_uncoalesced, double* to) const;

 private:
  KernelProfile kernel_;
  unsigned warps_;
  std::vector<Waiting> states_;
  std::vector<std::size_t> first_;  // [u]: the state of 0 coalesced and u uncoalesced; more coalesced ones follow
  // The probability that of so many ready warps u meet an uncoalesced access and c a coalesced one: for each number of
  // ready warps, by u and then by c.
  std::vector<double> stalls_;
  std::vector<std::size_t> stalls_begin_;
};

// The probabilities of 0 to `count` successes.
std::vector<double> binomial(unsigned count, double probability);

// The probability that a warp is ready again after a round of `cycles` (at least one, also when all warps wait; as
// printed, P = (W - I)/L is 0 then, and the chain would never leave that state).
double wake_up(double cycles, double latency);

}  // namespace heddle::model
