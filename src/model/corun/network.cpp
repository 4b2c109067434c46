#include "model/corun/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::model {
namespace {

constexpr double exact = 1e-5;  // of the IPC: when to stop
constexpr int most_steps = 200;

using PerStation = std::array<double, stations>;

struct Class {
  PerStation cycles;  // an instruction's at each station
  double away, warps;
  PerStation queue{};  // its warps at each station, waiting or served
  // Time of the other kernel there, in units of this one's: at the port, its accesses may take longer; elsewhere, warps
  // get equal turns. 0 where this kernel has no business.
  PerStation weights{};
  double others = 0;  // warps that one of its warps finds on the SM, as a part of them: one less than there are
  double ipc = 0;
};

double weight(const Demands& of, const Demands& other, std::size_t station) {
  if (station != port) return 1;
  const double own = of.cycles[port] / of.accesses;
  const double others = other.cycles[port] / other.accesses;
  return own > 0 ? others / own : 1;
}

// The queues that follow from those that were assumed, by Little's law. Returns the change of the IPC. `part`: of the
// way to the new IPC. Without branches, since decisions solve hundreds of networks.
double step(Class& of, const Class& other, double conflicts, double part) {
  PerStation time;
  for (std::size_t station = 0; station < stations; ++station)
    time[station] =
        of.cycles[station] * (1 + of.queue[station] * of.others + other.queue[station] * of.weights[station]);
  time[dram] *= 1 + conflicts * std::min(1.0, other.ipc * other.cycles[dram]);
  const double sum = std::accumulate(time.begin(), time.end(), of.away);
  const double change = of.warps / sum - of.ipc;
  of.ipc += part * change;
  for (std::size_t station = 0; station < stations; ++station) of.queue[station] = of.ipc * time[station];
  return std::abs(change) / of.ipc;
}

Class begin(const Demands& demands, double warps, const Demands& other) {
  Class made{demands.cycles, demands.away, warps};
  const double all = std::max(demands.all() + std::max(0.0, demands.away), 1e-9);
  for (std::size_t station = 0; station < stations; ++station) {
    made.queue[station] = warps * demands.cycles[station] / all;
    if (demands.cycles[station] > 0 && other.cycles[station] > 0)
      made.weights[station] = weight(demands, other, station);
  }
  if (warps > 0) made.others = std::max(0.0, warps - 1) / warps;
  return made;
}

}  // namespace

double Demands::all() const { return std::accumulate(cycles.begin(), cycles.end(), 0.0); }

double cycles_away(const Demands& demands, double warps, double cycles) {
  // Of one kernel the queues follow from the IPC: Q = X D (1 + Q (N - 1) / N).
  const double ipc = warps / cycles, others = std::max(0.0, warps - 1) / warps;
  double away = cycles;
  for (const double need : demands.cycles) {
    const double free = 1 - ipc * need * others;
    away -= free > 0 ? std::min(need / free, need * warps) : need * warps;
  }
  return away;
}

Demands fitted(Demands demands, const Measured& measured) {
  constexpr double slowest = 4;
  constexpr int steps = 20;
  const double of_memory = demands.cycles[dram];
  // Returns the IPC with many warps.
  const auto slow_down = [&](double factor) {
    demands.cycles[dram] = of_memory * factor;
    demands.away = std::max(0.0, cycles_away(demands, measured.few_warps, measured.few_cycles));
    return network_ipc(demands, measured.warps);
  };
  if (slow_down(1) > measured.ipc && slow_down(slowest) <= measured.ipc) {
    double low = 1, high = slowest;
    for (int i = 0; i < steps; ++i) {
      const double middle = (low + high) / 2;
      (slow_down(middle) > measured.ipc ? low : high) = middle;
    }
    return demands;
  }
  demands.cycles[dram] = of_memory;
  demands.away = std::max(0.0, cycles_away(demands, measured.warps, measured.warps / measured.ipc));
  return demands;
}

double network_ipc(const Demands& demands, double warps) {
  if (warps <= 0) return 0;
  return network_ipc(demands, warps, demands, 0).first;
}

PairIpc network_ipc(const Demands& first, double first_warps, const Demands& second, double second_warps,
                    double conflicts) {
  Class a = begin(first, first_warps, second), b = begin(second, second_warps, first);
  constexpr int free_steps = 4;  // then more slowly, since some pairs swing
  double change = 1;
  for (int i = 0; i < most_steps && change > exact; ++i) {
    const double part = i < free_steps ? 1 : .5;
    change = 0;
    if (a.warps > 0) change = std::max(change, step(a, b, conflicts, part));
    if (b.warps > 0) change = std::max(change, step(b, a, conflicts, part));
  }
  return {a.ipc, b.ipc};
}

}  // namespace heddle::model
