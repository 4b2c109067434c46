#include "model/corun/pairs.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::model {
namespace {

unsigned warps_of(const SmLimits& limits, const BlockNeeds& needs) {
  return (needs.threads + limits.warp - 1) / limits.warp;
}

// What a block takes of an SM, as it is allocated.
struct OfBlock {
  OfBlock(const SmLimits& limits, const BlockNeeds& needs)
      : resident(resident_blocks(limits, needs)), warps(warps_of(limits, needs)) {
    const std::uint64_t bytes = needs.shared + limits.reserved_shared;
    shared = (bytes + limits.shared_unit - 1) / limits.shared_unit * limits.shared_unit;
    const unsigned of_warp = needs.registers * limits.warp;
    registers =
        std::uint64_t{warps} * ((of_warp + limits.register_unit - 1) / limits.register_unit * limits.register_unit);
  }
  // The most blocks of this kernel beside so many of another; 0 if those alone do not fit.
  unsigned beside(const SmLimits& limits, const OfBlock& other, std::uint64_t others) const {
    std::uint64_t most = resident;
    const auto leave = [&](std::uint64_t all, std::uint64_t each, std::uint64_t of_other) {
      if (of_other * others > all)
        most = 0;
      else if (each > 0)
        most = std::min(most, (all - of_other * others) / each);
    };
    leave(limits.blocks, 1, 1);
    leave(limits.threads / limits.warp, warps, other.warps);
    leave(limits.registers, registers, other.registers);
    leave(limits.shared, shared, other.shared);
    return static_cast<unsigned>(most);
  }

  unsigned resident, warps;
  std::uint64_t registers, shared;
};

double alone_on(const SmModel& sm, const SmLimits& limits, const Candidate& kernel) {
  return solo_ipc(sm, kernel.profile, resident_blocks(limits, kernel.needs) * warps_of(limits, kernel.needs));
}

bool is_better(const CoSchedule& a, const CoSchedule& b, PairOptions::Ratio ratio) {
  return ratio == PairOptions::Ratio::most_profit ? a.profit > b.profit : a.imbalance < b.imbalance;
}

}  // namespace

bool is_pruned(const Candidate& first, const Candidate& second, const PairOptions& options) {
  return std::abs(first.pipeline_use - second.pipeline_use) < options.pipeline_difference &&
         std::abs(first.memory_use - second.memory_use) < options.memory_difference;
}

bool fit_together(const SmLimits& limits, const BlockNeeds& first, unsigned first_blocks, const BlockNeeds& second,
                  unsigned second_blocks) {
  const OfBlock of_first(limits, first), of_second(limits, second);
  return first_blocks <= of_first.resident && second_blocks <= of_second.beside(limits, of_first, first_blocks);
}

std::vector<std::pair<unsigned, unsigned>> full_ratios(const SmLimits& limits, const BlockNeeds& first,
                                                       const BlockNeeds& second) {
  const OfBlock of_first(limits, first), of_second(limits, second);
  std::vector<std::pair<unsigned, unsigned>> ratios;
  unsigned most = of_second.beside(limits, of_first, 1);
  for (unsigned a = 1; a <= of_first.resident; ++a) {
    const unsigned next = a < of_first.resident ? of_second.beside(limits, of_first, a + 1) : 0;
    // Fewer blocks than fit leave warps out.
    if (most > next) ratios.emplace_back(a, most);
    most = next;
  }
  return ratios;
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
  const auto ratios = full_ratios(limits, first.needs, second.needs);
  std::optional<CoSchedule> best;
  // Returns by how much the first kernel's blocks take longer than the second's.
  const auto look_at = [&](std::size_t number) {
    const auto& [a, b] = ratios[number];
    CoSchedule made{0, 1, a, b, {}, 0, 0};
    made.together = together(a * warps_of(limits, first.needs), b * warps_of(limits, second.needs));
    made.profit = coscheduling_profit(made.together, alone.first, alone.second);
    const double longer =
        first.block_instructions * a / made.together.first - second.block_instructions * b / made.together.second;
    made.imbalance = std::abs(longer);
    if (!best || is_better(made, *best, ratio)) best = made;
    return longer;
  };
  if (ratio != PairOptions::Ratio::nearly_balanced) {
    for (std::size_t i = 0; i < ratios.size(); ++i) look_at(i);
    return best;
  }
  // With more blocks of the first kernel these take longer, and those of the second less.
  std::size_t begin = 0, end = ratios.size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (look_at(middle) < 0)
      begin = middle + 1;
    else
      end = middle;
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
