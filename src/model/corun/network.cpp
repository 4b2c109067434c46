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

// The turns at a station that a warp which arrives waits for: of the one that is served, half is left on the mean, as
// turns take the same time.
double ahead(const Class& of, std::size_t station) { return of.queue[station] - of.ipc * of.cycles[station] / 2; }

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
        of.cycles[station] * (1 + ahead(of, station) * of.others + ahead(other, station) * of.weights[station]);
  time[dram] *= 1 + conflicts * std::min(1.0, other.ipc * other.cycles[dram]);
  const double sum = std::accumulate(time.begin(), time.end(), of.away);
  const double change = of.warps / sum - of.ipc;
  of.ipc += part * change;
  for (std::size_t station = 0; station < stations; ++station) of.queue[station] = of.ipc * time[station];
  return std::abs(change) / of.ipc;
}

Class begin(const Demands& demands, double warps, const Demands& other) {
  Class made{demands.cycles, demands.away.at(warps), warps};
  const double all = std::max(demands.all() + made.away, 1e-9);
  for (std::size_t station = 0; station < stations; ++station) {
    made.queue[station] = warps * demands.cycles[station] / all;
    if (demands.cycles[station] > 0 && other.cycles[station] > 0)
      made.weights[station] = weight(demands, other, station);
  }
  if (warps > 0) made.others = std::max(0.0, warps - 1) / warps;
  return made;
}

// A station that is busy nearly all the time decides how fast the kernel is. Then the cycles away are those with fewer
// warps: the measurement does not show them.
void fit_away(Demands& demands, const std::array<Measured, Away::points>& measured) {
  constexpr double busy = .9;
  const double longest = *std::max_element(demands.cycles.begin(), demands.cycles.end());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto& [warps, ipc] = measured[i];
    const bool shows = i == 0 || ipc * longest < busy;
    demands.away.warps[i] = warps;
    demands.away.cycles[i] =
        shows ? std::max(0.0, cycles_away(demands, warps, warps / ipc)) : demands.away.cycles[i - 1];
  }
}

}  // namespace

double Away::at(double number) const {
  for (std::size_t i = 1; i < points; ++i) {
    if (number >= warps[i] || warps[i] <= warps[i - 1]) continue;
    const double part = std::max(0.0, (number - warps[i - 1]) / (warps[i] - warps[i - 1]));
    return cycles[i - 1] + part * (cycles[i] - cycles[i - 1]);
  }
  return cycles[points - 1];
}

double Demands::all() const { return std::accumulate(cycles.begin(), cycles.end(), 0.0); }

double cycles_away(const Demands& demands, double warps, double cycles) {
  // Of one kernel the queues follow from the IPC: Q = U (1 + (Q - U / 2) (N - 1) / N) with U = X D.
  const double ipc = warps / cycles, others = std::max(0.0, warps - 1) / warps;
  double away = cycles;
  for (const double need : demands.cycles) {
    const double busy = ipc * need * others;
    away -= busy < 1 ? std::min(need * (1 - busy / 2) / (1 - busy), need * warps) : need * warps;
  }
  return away;
}

Demands fitted(Demands demands, const std::array<Measured, Away::points>& measured) {
  constexpr double slowest = 4;
  constexpr int steps = 20;
  const double of_memory = demands.cycles[dram];
  const Measured &few = measured.front(), &many = measured.back();
  // Returns the IPC with many warps.
  const auto slow_down = [&](double factor) {
    demands.cycles[dram] = of_memory * factor;
    demands.away = Away::always(std::max(0.0, cycles_away(demands, few.warps, few.warps / few.ipc)));
    return network_ipc(demands, many.warps);
  };
  if (slow_down(1) > many.ipc && slow_down(slowest) <= many.ipc) {
    double low = 1, high = slowest;
    for (int i = 0; i < steps; ++i) {
      const double middle = (low + high) / 2;
      (slow_down(middle) > many.ipc ? low : high) = middle;
    }
  } else {
    demands.cycles[dram] = of_memory;
  }
  fit_away(demands, measured);
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
