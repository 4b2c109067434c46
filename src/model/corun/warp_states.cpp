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
  for (unsigned u = 0; u <= most_uncoalesced; ++u)
    for (unsigned c = 0; c + u <= warps; ++c) states_.push_back({c, u});
  for (unsigned n = 0; n <= warps; ++n) {
    stalls_.push_back(binomial(n, kernel.memory_ratio / kernel.accesses_per_wait));
    split_.push_back(binomial(n, kernel.uncoalesced));
  }
}

std::size_t WarpStates::index_of(unsigned coalesced, unsigned uncoalesced) const {
  // The states with 0, 1, ... uncoalesced warps are warps + 1, warps, ... in number.
  const std::size_t u = uncoalesced;
  return u * (warps_ + 1) - u * (u == 0 ? 0 : u - 1) / 2 + coalesced;
}

void WarpStates::add_stalls(unsigned ready, unsigned coalesced, unsigned uncoalesced, double probability,
                            std::vector<double>& to) const {
  for (unsigned n = 0; n <= ready; ++n) {
    const double stalled = probability * stalls_[ready][n];
    if (kernel_.uncoalesced == 0) {
      to[coalesced + n] += stalled;
      continue;
    }
    for (unsigned u = 0; u <= n; ++u) to[index_of(coalesced + n - u, uncoalesced + u)] += stalled * split_[n][u];
  }
}

void WarpStates::step(std::size_t from, double wake_coalesced, double wake_uncoalesced, std::vector<double>& to) const {
  to.assign(states_.size(), 0.0);
  const Waiting& waiting = states_[from];
  const Few woken = binomial_in<Few>(waiting.coalesced, wake_coalesced);
  const Few woken_uncoalesced = binomial_in<Few>(waiting.uncoalesced, wake_uncoalesced);
  const unsigned ready = warps_ - waiting.all();
  // Warps that wake up in this round execute in the next one.
  for (unsigned u = 0; u <= waiting.uncoalesced; ++u)
    for (unsigned c = 0; c <= waiting.coalesced; ++c)
      add_stalls(ready, waiting.coalesced - c, waiting.uncoalesced - u, woken[c] * woken_uncoalesced[u], to);
}

}  // namespace heddle::model
