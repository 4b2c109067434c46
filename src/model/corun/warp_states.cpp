#include "model/corun/warp_states.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>

namespace heddle::model {

namespace {

// Without an allocation for the few units of a chain: each state of a chain needs two of these.
using Few = boost::container::small_vector<double, 32>;

template <class Numbers>
Numbers binomial_in(unsigned count, double probability) {
  Numbers made(count + 1, 0.0);
  if (probability >= 1) {
    made[count] = 1;
    return made;
  }
  // By convolution: exact to rounding for the few warps of an SM.
  made[0] = 1;
  for (unsigned trial = 1; trial <= count; ++trial) {
    for (unsigned k = trial; k > 0; --k) made[k] = made[k] * (1 - probability) + made[k - 1] * probability;
    made[0] *= 1 - probability;
  }
  return made;
}

}  // namespace

std::vector<double> binomial(unsigned count, double probability) {
  return binomial_in<std::vector<double>>(count, probability);
}

double wake_up(double cycles, double latency) { return std::min(1.0, std::max(1.0, cycles) / std::max(1.0, latency)); }

WarpStates::WarpStates(const KernelProfile& kernel, unsigned warps) : kernel_(kernel), warps_(warps) {
  const unsigned most_uncoalesced = kernel.uncoalesced > 0 ? warps : 0;
  for (unsigned u = 0; u <= most_uncoalesced; ++u) {
    first_.push_back(states_.size());
    for (unsigned c = 0; c + u <= warps; ++c) states_.push_back({c, u});
  }
  // The states of the stalls of so many ready warps are those of a smaller SM.
  std::vector<Few> split;
  for (unsigned n = 0; n <= warps; ++n) split.push_back(binomial_in<Few>(n, kernel.uncoalesced));
  for (unsigned ready = 0; ready <= warps; ++ready) {
    const Few stalls = binomial_in<Few>(ready, kernel.memory_ratio / kernel.accesses_per_wait);
    stalls_begin_.push_back(stalls_.size());
    for (unsigned u = 0; u <= std::min(ready, most_uncoalesced); ++u)
      for (unsigned c = 0; c + u <= ready; ++c) stalls_.push_back(stalls[c + u] * split[c + u][u]);
  }
}

// Warps that wake up in this round execute in the next one.
void WarpStates::step(std::size_t from, double wake_coalesced, double wake_uncoalesced, double* to) const {
  std::fill_n(to, states_.size(), 0.0);
  const Waiting& waiting = states_[from];
  const Few woken = binomial_in<Few>(waiting.coalesced, wake_coalesced);
  const Few woken_uncoalesced = binomial_in<Few>(waiting.uncoalesced, wake_uncoalesced);
  const unsigned ready = warps_ - waiting.all(), most_uncoalesced = first_.size() > 1 ? ready : 0;
  for (unsigned u = 0; u <= waiting.uncoalesced; ++u)
    for (unsigned c = 0; c <= waiting.coalesced; ++c) {
      const double probability = woken[c] * woken_uncoalesced[u];
      const double* stalls = stalls_.data() + stalls_begin_[ready];
      for (unsigned v = 0; v <= most_uncoalesced; ++v) {
        double* const row = to + first_[waiting.uncoalesced - u + v] + (waiting.coalesced - c);
        for (unsigned n = 0; n + v <= ready; ++n) row[n] += probability * *stalls++;
      }
    }
}

}  // namespace heddle::model
