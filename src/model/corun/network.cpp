#include "model/corun/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::model {
namespace {

constexpr double exact = 1e-5;  // of the IPC: when to stop
constexpr int most_steps = 200;

struct Class {
  const Demands& demands;
  double warps;
  std::array<double, stations> queue{};  // its warps at each station, waiting or served
  double ipc = 0;

  // Those that a warp finds there on arrival: of its own kernel, one warp less is on the SM.
  double found(std::size_t station, bool own) const {
    return own ? queue[station] * std::max(0.0, warps - 1) / warps : queue[station];
  }
};

// The time of the others at a station, in units of the kernel's own: at the port, accesses of another kernel may take
// longer than those of this one; elsewhere, warps get equal turns.
double weight(const Class& of, const Class& other, std::size_t station) {
  if (station != port || &of == &other) return 1;
  const double own = of.demands.cycles[port] / of.demands.accesses;
  const double others = other.demands.cycles[port] / other.demands.accesses;
  return own > 0 ? others / own : 1;
}

// The queues that follow from those that were assumed, by Little's law. Returns the change of the IPC.
double step(Class& of, const Class& other) {
  std::array<double, stations> time{};
  double sum = of.demands.away;
  for (std::size_t station = 0; station < stations; ++station) {
    const double need = of.demands.cycles[station];
    if (need <= 0) continue;
    double ahead = of.found(station, true);
    if (other.warps > 0 && other.demands.cycles[station] > 0)
      ahead += other.found(station, false) * weight(of, other, station);
    time[station] = need * (1 + ahead);
    sum += time[station];
  }
  const double before = of.ipc;
  of.ipc = of.warps / sum;
  for (std::size_t station = 0; station < stations; ++station) of.queue[station] = of.ipc * time[station];
  return std::abs(of.ipc - before) / of.ipc;
}

Class begin(const Demands& demands, double warps) {
  Class made{demands, warps};
  const double all = std::max(demands.all() + std::max(0.0, demands.away), 1e-9);
  for (std::size_t station = 0; station < stations; ++station)
    made.queue[station] = warps * demands.cycles[station] / all;
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
    away -= free > 0 ? need / free : need * warps;
  }
  return away;
}

double network_ipc(const Demands& demands, double warps) { return network_ipc(demands, warps, demands, 0).first; }

PairIpc network_ipc(const Demands& first, double first_warps, const Demands& second, double second_warps) {
  Class a = begin(first, first_warps), b = begin(second, second_warps);
  double change = 1;
  for (int i = 0; i < most_steps && change > exact; ++i) {
    change = 0;
    if (a.warps > 0) change = std::max(change, step(a, b));
    if (b.warps > 0) change = std::max(change, step(b, a));
  }
  return {a.ipc, b.ipc};
}

}  // namespace heddle::model
