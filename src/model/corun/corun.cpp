#include "model/corun/corun.hpp"

#include <algorithm>
#include <cmath>

#include "model/corun/steady_state.hpp"

namespace heddle::model {
namespace {

// One of the single-scheduler SMs that the SM is divided into, as a kernel sees it of which caches answer a part.
MemoryLatency virtual_latency(const SmModel& sm, const KernelProfile& kernel) {
  MemoryLatency latency = sm.latency;
  latency.per_request *= sm.schedulers * sm.unit;
  latency.base = latency.hit + kernel.far * (latency.base - latency.hit);
  latency.uncoalesced_base = latency.hit + kernel.far * (latency.uncoalesced_base - latency.hit);
  return latency;
}

// The cycles of a round in which so many warps are ready; one if none is.
double issue_cycles(double ready) { return std::max(1.0, ready); }
double issue_cycles(const KernelProfile& kernel, double ready) { return issue_cycles(kernel.issue_cycles * ready); }
double issue_cycles(const KernelProfile& a, double ready_a, const KernelProfile& b, double ready_b) {
  const double of_a = a.issue_cycles * ready_a, of_b = b.issue_cycles * ready_b;
  return issue_cycles(std::max(ready_a + ready_b, a.pipe == b.pipe ? of_a + of_b : std::max(of_a, of_b)));
}

// Both kinds of accesses as one: the mean latency, and the mean number of requests of a warp that waits.
KernelProfile without_kinds(const KernelProfile& kernel, MemoryLatency& latency) {
  const double slow = kernel.uncoalesced * latency.uncoalesced_base;
  const double mean = (1 - kernel.uncoalesced) * latency.base + slow;
  KernelProfile made = kernel;
  made.uncoalesced = 0;
  latency.base = mean;
  return made;
}

double mean_requests(const KernelProfile& kernel, const MemoryLatency& latency) {
  if (kernel.uncoalesced == 0) return 1;
  const double slow = kernel.uncoalesced * latency.uncoalesced_base;
  const double share = slow / ((1 - kernel.uncoalesced) * latency.base + slow);
  return 1 - share + share * kernel.uncoalesced_requests;
}

// One kernel of a chain.
struct Side {
  WarpStates states;
  MemoryLatency latency;
  double weight;  // requests of a warp that waits, beside what its state says

  void step(std::size_t from, double cycles, double requests, double* to) const {
    states.step(from, wake_up(cycles, latency.coalesced(requests)), wake_up(cycles, latency.uncoalesced(requests)), to);
  }
  double requests(std::size_t index) const { return weight * states.requests(index); }
};

Side make_side(const SmModel& sm, const KernelProfile& kernel, unsigned warps, bool as_one) {
  MemoryLatency latency = virtual_latency(sm, kernel);
  const double weight = as_one ? mean_requests(kernel, latency) : 1;
  const KernelProfile used = as_one ? without_kinds(kernel, latency) : kernel;
  return {WarpStates(used, virtual_warps(sm, warps)), latency, weight};
}

std::size_t states_of(const KernelProfile& kernel, unsigned warps) {
  return kernel.uncoalesced > 0 ? std::size_t{warps + 1} * (warps + 2) / 2 : warps + 1;
}

}  // namespace

unsigned virtual_warps(const SmModel& sm, unsigned warps) {
  return std::max(1u, static_cast<unsigned>(std::lround(static_cast<double>(warps) / (sm.schedulers * sm.unit))));
}

double solo_ipc(const SmModel& sm, const KernelProfile& kernel, unsigned warps) {
  if (warps == 0) return 0;
  const bool as_one = states_of(kernel, virtual_warps(sm, warps)) > sm.most_states;
  const Side side = make_side(sm, kernel, warps, as_one);
  const std::size_t count = side.states.count();
  const auto ready = [&](std::size_t state) { return static_cast<double>(side.states.ready(state) * sm.unit); };
  if (kernel.memory_ratio <= 0) return sm.schedulers * ready(0) / issue_cycles(kernel, ready(0));  // it never waits
  TransitionMatrix matrix(count);
  for (std::size_t from = 0; from < count; ++from)
    side.step(from, issue_cycles(kernel, ready(from)), side.requests(from), matrix.row(from));
  const std::vector<double> shares = steady_state(std::move(matrix));
  double issued = 0, cycles = 0;
  for (std::size_t state = 0; state < count; ++state) {
    issued += shares[state] * ready(state);
    cycles += shares[state] * issue_cycles(kernel, ready(state));
  }
  return sm.schedulers * issued / cycles;
}

PairIpc pair_ipc(const SmModel& sm, const KernelProfile& first, unsigned first_warps, const KernelProfile& second,
                 unsigned second_warps) {
  if (first_warps == 0 || second_warps == 0)
    return {solo_ipc(sm, first, first_warps), solo_ipc(sm, second, second_warps)};
  const bool as_one =
      states_of(first, virtual_warps(sm, first_warps)) * states_of(second, virtual_warps(sm, second_warps)) >
      sm.most_states;
  const Side a = make_side(sm, first, first_warps, as_one), b = make_side(sm, second, second_warps, as_one);
  const std::size_t columns = b.states.count();
  TransitionMatrix matrix(a.states.count() * columns);
  const auto cycles_of = [&](std::size_t i, std::size_t j) {
    return issue_cycles(first, a.states.ready(i) * sm.unit, second, b.states.ready(j) * sm.unit);
  };
  std::vector<double> of_a(a.states.count()), of_b(columns);
  for (std::size_t i = 0; i < a.states.count(); ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const double requests = a.requests(i) + b.requests(j), cycles = cycles_of(i, j);
      a.step(i, cycles, requests, of_a.data());
      b.step(j, cycles, requests, of_b.data());
      double* const row = matrix.row(i * columns + j);
      for (std::size_t k = 0; k < of_a.size(); ++k)
        for (std::size_t l = 0; l < columns; ++l) row[k * columns + l] = of_a[k] * of_b[l];
    }
  const std::vector<double> shares = steady_state(std::move(matrix));
  PairIpc ipc;
  double cycles = 0;
  for (std::size_t i = 0; i < a.states.count(); ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const double share = shares[i * columns + j];
      ipc.first += share * a.states.ready(i) * sm.unit;
      ipc.second += share * b.states.ready(j) * sm.unit;
      cycles += share * cycles_of(i, j);
    }
  return {sm.schedulers * ipc.first / cycles, sm.schedulers * ipc.second / cycles};
}

double coscheduling_profit(const PairIpc& together, double first, double second) {
  return 1 - 1 / (together.first / first + together.second / second);
}

}  // namespace heddle::model
