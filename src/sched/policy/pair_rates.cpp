#include "sched/policy/pair_rates.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::sched {
namespace {

// The chain's unit for decisions: pairs of warps of one scheduler's. Decisions need no sixth digit.
constexpr std::size_t most_states = 160;  // enough for a kernel with two kinds of accesses beside one with one
// Of an SM's part that one scheduler has, together; fewer where the device waits for the host.
constexpr unsigned most_units = 8, most_units_in_time = 6;

unsigned warps_of(const CoRunDevice& device, const model::Candidate& kernel) {
  return (kernel.needs.threads + device.limits.warp - 1) / device.limits.warp;
}

unsigned full_warps(const CoRunDevice& device, const model::Candidate& kernel) {
  return model::resident_blocks(device.limits, kernel.needs) * warps_of(device, kernel);
}

// Coarse enough that all pairs of eight kernels are solved within a millisecond or two.
model::SmModel coarse(const CoRunDevice& device) {
  model::SmModel sm = device.sm;
  const unsigned warps = device.limits.threads / device.limits.warp / sm.schedulers;
  const unsigned units = device.slice_cycles > 0 ? most_units_in_time : most_units;
  sm.unit = std::max(sm.unit, (warps + units - 1) / units);
  sm.most_states = std::min(sm.most_states, most_states);
  return sm;
}

bool comes_first(const KernelTraits& first, const KernelTraits& second) { return first.id <= second.id; }

model::CoSchedule swapped(model::CoSchedule made) {
  std::swap(made.first_blocks, made.second_blocks);
  std::swap(made.together.first, made.together.second);
  return made;
}

// The same answer for both orders of the kernels.
template <class Find>
std::optional<model::CoSchedule> in_order(const KernelTraits& first, const KernelTraits& second, const Find& find) {
  if (comes_first(first, second)) return find(first, second);
  const std::optional<model::CoSchedule> made = find(second, first);
  return made ? std::optional(swapped(*made)) : std::nullopt;
}

// The chains' rates, in proportion to what was measured of each kernel alone: calibration does not reach kernels that
// are slower than any memory ratio makes them.
model::PairIpc in_proportion(model::PairIpc together, const model::PairIpc& modelled, const KernelTraits& first,
                             const KernelTraits& second) {
  if (first.alone_ipc > 0 && modelled.first > 0) together.first *= first.alone_ipc / modelled.first;
  if (second.alone_ipc > 0 && modelled.second > 0) together.second *= second.alone_ipc / modelled.second;
  return together;
}

// The IPC falls as the ratio rises. By false position, in the form that is named after Illinois: a few steps, where
// halving takes thirty.
// `exact`: the part of the IPC by which the model may be off.
model::KernelProfile calibrated_for(const model::SmModel& sm, unsigned warps, model::KernelProfile profile, double ipc,
                                    double exact = 1e-9) {
  if (ipc <= 0 || warps == 0) return profile;
  constexpr int most_steps = 30;
  const auto above = [&](double ratio) {
    profile.memory_ratio = ratio;
    return model::solo_ipc(sm, profile, warps) - ipc;
  };
  double low = 0, high = profile.accesses_per_wait;
  double above_low = above(low);
  if (above_low <= 0) return profile;
  double above_high = above(high);
  if (above_high >= 0) return profile;
  bool was_low = false, was_high = false;
  for (int step = 0; step < most_steps; ++step) {
    const double middle = (low * above_high - high * above_low) / (above_high - above_low);
    const double above_middle = above(middle);
    if (std::abs(above_middle) <= exact * ipc) break;
    if (above_middle > 0) {
      low = middle;
      above_low = above_middle;
      if (was_low) above_high /= 2;
    } else {
      high = middle;
      above_high = above_middle;
      if (was_high) above_low /= 2;
    }
    was_low = above_middle > 0;
    was_high = !was_low;
  }
  return profile;
}

bool has_network(const KernelTraits& first, const KernelTraits& second, CoRunModel model) {
  return model == CoRunModel::network && first.kernel.demands.known() && second.kernel.demands.known();
}

}  // namespace

double alone_ipc(const CoRunDevice& device, const KernelTraits& traits, CoRunModel model) {
  if (traits.alone_ipc > 0) return traits.alone_ipc;
  const unsigned warps = full_warps(device, traits.kernel);
  if (has_network(traits, traits, model)) return model::network_ipc(traits.kernel.demands, warps);
  return model::solo_ipc(device.sm, traits.kernel.profile, warps);
}

model::KernelProfile calibrated(const CoRunDevice& device, const KernelTraits& traits) {
  return calibrated_for(device.sm, full_warps(device, traits.kernel), traits.kernel.profile, traits.alone_ipc);
}

model::PairIpc forecast(const CoRunDevice& device, const KernelTraits& first, unsigned first_blocks,
                        const KernelTraits& second, unsigned second_blocks, CoRunModel model) {
  const unsigned first_warps = first_blocks * warps_of(device, first.kernel);
  const unsigned second_warps = second_blocks * warps_of(device, second.kernel);
  const unsigned first_full = full_warps(device, first.kernel), second_full = full_warps(device, second.kernel);
  if (has_network(first, second, model)) {
    const model::Demands &one = first.kernel.demands, &other = second.kernel.demands;
    return in_proportion(model::network_ipc(one, first_warps, other, second_warps),
                         {model::network_ipc(one, first_full), model::network_ipc(other, second_full)}, first, second);
  }
  const model::SmModel sm = coarse(device);
  const auto profile_of = [&](const KernelTraits& traits) {
    return calibrated_for(sm, full_warps(device, traits.kernel), traits.kernel.profile, traits.alone_ipc);
  };
  const model::KernelProfile one = profile_of(first), other = profile_of(second);
  return in_proportion(model::pair_ipc(sm, one, first_warps, other, second_warps),
                       {model::solo_ipc(sm, one, first_full), model::solo_ipc(sm, other, second_full)}, first, second);
}

std::vector<std::pair<unsigned, unsigned>> full_ratios(const model::SmLimits& limits, const model::Candidate& first,
                                                       const model::Candidate& second) {
  return model::full_ratios(limits, first.needs, second.needs);
}

const ModelRates::Known& ModelRates::known(const CoRunDevice& device, const model::SmModel& sm,
                                           const KernelTraits& traits, bool network) {
  const auto [at, made] = kernels_[network ? 1 : 0].try_emplace(traits.id, Known{traits.kernel});
  if (!made) return at->second;
  Known& known = at->second;
  const unsigned warps = full_warps(device, traits.kernel);
  constexpr double exact = 1e-4;  // each step takes tens of microseconds of a decision
  if (calibrate_ && !network)
    known.kernel.profile = calibrated_for(sm, warps, traits.kernel.profile, traits.alone_ipc, exact);
  known.alone =
      network ? model::network_ipc(known.kernel.demands, warps) : model::solo_ipc(sm, known.kernel.profile, warps);
  return known;
}

std::optional<model::CoSchedule> ModelRates::solve(const CoRunDevice& device, const KernelTraits& first,
                                                   const KernelTraits& second, model::PairOptions::Ratio ratio) {
  const model::SmModel sm = coarse(device);
  const bool network = has_network(first, second, model_);
  const Known &a = known(device, sm, first, network), &b = known(device, sm, second, network);
  const model::PairIpc alone{a.alone, b.alone};
  std::map<std::pair<unsigned, unsigned>, model::PairIpc> by_chains;  // by units: several ratios have the same
  const auto together = [&](unsigned first_warps, unsigned second_warps) {
    if (network) return model::network_ipc(a.kernel.demands, first_warps, b.kernel.demands, second_warps);
    const auto [at, made] =
        by_chains.try_emplace({model::virtual_warps(sm, first_warps), model::virtual_warps(sm, second_warps)});
    if (made) at->second = model::pair_ipc(sm, a.kernel.profile, first_warps, b.kernel.profile, second_warps);
    return at->second;
  };
  auto made = model::best_ratio(model::PairModel(together), device.limits, a.kernel, b.kernel, alone, ratio);
  if (made && calibrate_) made->together = in_proportion(made->together, alone, first, second);
  return made;
}

std::optional<model::CoSchedule> ModelRates::best(const CoRunDevice& device, const KernelTraits& first,
                                                  const KernelTraits& second, model::PairOptions::Ratio ratio) {
  return in_order(first, second, [&](const KernelTraits& a, const KernelTraits& b) {
    const auto [at, made] = known_.try_emplace({a.id, b.id});
    if (made) at->second = solve(device, a, b, ratio);
    return at->second;
  });
}

std::optional<model::CoSchedule> MeasuredRates::best(const CoRunDevice& device, const KernelTraits& first,
                                                     const KernelTraits& second, model::PairOptions::Ratio) {
  return in_order(first, second, [&](const KernelTraits& a, const KernelTraits& b) {
    std::optional<model::CoSchedule> found;
    const auto at = table_.find({a.id, b.id});
    if (at == table_.end()) return found;
    for (const MeasuredRatio& measured : at->second) {
      model::CoSchedule made{0, 1, measured.first_blocks, measured.second_blocks, measured.together, 0, 0};
      made.profit = model::coscheduling_profit(measured.together, alone_ipc(device, a), alone_ipc(device, b));
      if (!found || made.profit > found->profit) found = made;
    }
    return found;
  });
}

std::optional<model::CoSchedule> RandomRates::best(const CoRunDevice& device, const KernelTraits& first,
                                                   const KernelTraits& second, model::PairOptions::Ratio) {
  const auto ratios = full_ratios(device.limits, first.kernel, second.kernel);
  if (ratios.empty()) return std::nullopt;
  const auto& [a, b] = ratios[random_() % ratios.size()];
  // Whichever pair has drawn most is taken.
  return model::CoSchedule{0, 1, a, b, {}, std::uniform_real_distribution<double>(1e-9, 1)(random_), 0};
}

std::optional<model::CoSchedule> ConstantRates::best(const CoRunDevice& device, const KernelTraits& first,
                                                     const KernelTraits& second, model::PairOptions::Ratio) {
  return in_order(first, second, [&](const KernelTraits& a, const KernelTraits& b) -> std::optional<model::CoSchedule> {
    const auto ratios = full_ratios(device.limits, a.kernel, b.kernel);
    if (ratios.empty()) return std::nullopt;
    const auto& [of_a, of_b] = *std::max_element(ratios.begin(), ratios.end());
    return model::CoSchedule{0, 1, of_a, of_b, {}, .1, 0};
  });
}

}  // namespace heddle::sched
