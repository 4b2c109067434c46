#include "model/corun/pairs.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::model {
namespace {

unsigned warps_of(const SmLimits& limits, const BlockNeeds& needs) {
  return (needs.threads + limits.warp - 1) / limits.warp;
}

std::uint64_t shared_of(const SmLimits& limits, const BlockNeeds& needs) {
  const std::uint64_t bytes = needs.shared + limits.reserved_shared;
  return (bytes + limits.shared_unit - 1) / limits.shared_unit * limits.shared_unit;
}

// Of a warp, as they are allocated.
unsigned registers_of(const SmLimits& limits, const BlockNeeds& needs) {
  const unsigned registers = needs.registers * limits.warp;
  return (registers + limits.register_unit - 1) / limits.register_unit * limits.register_unit;
}

double alone_on(const SmModel& sm, const SmLimits& limits, const Candidate& kernel) {
  return solo_ipc(sm, kernel.profile, resident_blocks(limits, kernel.needs) * warps_of(limits, kernel.needs));
}

bool is_better(const CoSchedule& a, const CoSchedule& b, PairOptions::Ratio ratio) {
  return ratio == PairOptions::Ratio::balanced ? a.imbalance < b.imbalance : a.profit > b.profit;
}

}  // namespace

bool is_pruned(const Candidate& first, const Candidate& second, const PairOptions& options) {
  return std::abs(first.pipeline_use - second.pipeline_use) < options.pipeline_difference &&
         std::abs(first.memory_use - second.memory_use) < options.memory_difference;
}

bool fit_together(const SmLimits& limits, const BlockNeeds& first, unsigned first_blocks, const BlockNeeds& second,
                  unsigned second_blocks) {
  if (first_blocks > resident_blocks(limits, first) || second_blocks > resident_blocks(limits, second)) return false;
  const unsigned first_warps = warps_of(limits, first) * first_blocks;
  const unsigned second_warps = warps_of(limits, second) * second_blocks;
  const std::uint64_t registers =
      std::uint64_t{registers_of(limits, first)} * first_warps + registers_of(limits, second) * second_warps;
  return first_blocks + second_blocks <= limits.blocks &&
         (first_warps + second_warps) * limits.warp <= limits.threads && registers <= limits.registers &&
         shared_of(limits, first) * first_blocks + shared_of(limits, second) * second_blocks <= limits.shared;
}

std::optional<CoSchedule> best_ratio(const SmModel& sm, const SmLimits& limits, const Candidate& first,
                                     const Candidate& second, PairIpc alone, PairOptions::Ratio ratio) {
  const auto together = [&](unsigned first_warps, unsigned second_warps) {
    return pair_ipc(sm, first.profile, first_warps, second.profile, second_warps);
  };
  return best_ratio(PairModel(together), limits, first, second, alone, ratio);
}

std::optional<CoSchedule> best_ratio(const PairModel& together, const SmLimits& limits, const Candidate& first,
                                     const Candidate& second, PairIpc alone, PairOptions::Ratio ratio) {
  std::optional<CoSchedule> best;
  for (unsigned a = 1; a <= resident_blocks(limits, first.needs); ++a)
    for (unsigned b = 1; b <= resident_blocks(limits, second.needs); ++b) {
      // Fewer blocks than fit leave warps out.
      const bool fits = fit_together(limits, first.needs, a, second.needs, b);
      if (!fits || fit_together(limits, first.needs, a + 1, second.needs, b) ||
          fit_together(limits, first.needs, a, second.needs, b + 1))
        continue;
      CoSchedule made{0, 1, a, b, {}, 0, 0};
      made.together = together(a * warps_of(limits, first.needs), b * warps_of(limits, second.needs));
      made.profit = coscheduling_profit(made.together, alone.first, alone.second);
      made.imbalance = std::abs(first.block_instructions * a / made.together.first -
                                second.block_instructions * b / made.together.second);
      if (!best || is_better(made, *best, ratio)) best = made;
    }
  return best;
}

std::optional<CoSchedule> find_co_schedule(const SmModel& sm, const SmLimits& limits,
                                           std::span<const Candidate> kernels, PairOptions options) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j) pairs.emplace_back(i, j);
  if (pairs.empty()) return std::nullopt;
  std::vector<std::pair<std::size_t, std::size_t>> left;
  constexpr double same = 1e-6;  // pairs of kernels that are alike in all
  while (left.empty()) {
    for (const auto& [i, j] : pairs)
      if (!is_pruned(kernels[i], kernels[j], options)) left.emplace_back(i, j);
    if (left.empty() && options.pipeline_difference < same && options.memory_difference < same) left = pairs;
    options.pipeline_difference /= 2;
    options.memory_difference /= 2;
  }
  std::vector<double> alone;
  for (const Candidate& kernel : kernels) alone.push_back(alone_on(sm, limits, kernel));
  std::optional<CoSchedule> best;
  for (const auto& [i, j] : left) {
    std::optional<CoSchedule> made =
        best_ratio(sm, limits, kernels[i], kernels[j], {alone[i], alone[j]}, options.ratio);
    if (!made || (best && made->profit <= best->profit)) continue;
    made->first = i;
    made->second = j;
    best = made;
  }
  return best;
}

}  // namespace heddle::model
