// Which two kernels to run together, and how many blocks of each on an SM. Kernelet (Zhong and He, arXiv 1303.5164),
// sections 4.2 to 4.4.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/corun/network.hpp"
#include "model/occupancy.hpp"

namespace heddle::model {

// A kernel with its launch shape, and what a profile of it alone has given.
struct Candidate {
  KernelProfile profile = {};
  BlockNeeds needs = {};
  Demands demands = {};           // for the network; not known: the chains are taken
  double block_instructions = 0;  // I: of all warps of a block
  double pipeline_use = 0;        // PUR: instructions issued, of what the pipelines could issue
  double memory_use = 0;          // MUR: requests to memory, of what it could take
  unsigned least_blocks = 1;      // the smallest slice, in blocks on each SM
};

struct PairOptions {
  // Pairs of which both differences are smaller are left out (section 4.3; the paper prints "or", and its Table VI
  // counts "and").
  double pipeline_difference = 0.4, memory_difference = 0.1;
  // The numbers of blocks: those for which both slices take nearly the same time (equation 8), or those of the largest
  // profit. `nearly_balanced`: found by halving, with a third of the solutions; it may be a neighbour of the balanced
  // one.
  enum class Ratio : std::uint8_t { balanced, most_profit, nearly_balanced };
  Ratio ratio = Ratio::balanced;
};

bool is_pruned(const Candidate& first, const Candidate& second, const PairOptions& options);

// A pair by the indices of its kernels, first < second, with blocks on each SM and the model's figures.
struct CoSchedule {
  std::size_t first = 0, second = 0;
  unsigned first_blocks = 0, second_blocks = 0;
  PairIpc together = {};
  double profit = 0;     // equation 1
  double imbalance = 0;  // equation 8: cycles of difference between the two slices
};

// Whether an SM holds so many blocks of both kernels at the same time.
bool fit_together(const SmLimits& limits, const BlockNeeds& first, unsigned first_blocks, const BlockNeeds& second,
                  unsigned second_blocks);

// Every pair of numbers of blocks that an SM holds, of which neither can be raised; the first ascending.
std::vector<std::pair<unsigned, unsigned>> full_ratios(const SmLimits& limits, const BlockNeeds& first,
                                                       const BlockNeeds& second);

// The best numbers of blocks of two kernels; nothing if no SM holds a slice of both. `alone` are their IPCs at full
// occupancy. `first` and `second` of the result are 0 and 1.
std::optional<CoSchedule> best_ratio(const SmModel& sm, const SmLimits& limits, const Candidate& first,
                                     const Candidate& second, PairIpc alone, PairOptions::Ratio ratio);
// The same by any model, which says how fast both run with so many warps each.
using PairModel = std::function<PairIpc(unsigned first_warps, unsigned second_warps)>;
std::optional<CoSchedule> best_ratio(const PairModel& together, const SmLimits& limits, const Candidate& first,
                                     const Candidate& second, PairIpc alone, PairOptions::Ratio ratio);

// The pair with the largest profit of all that are left after pruning. If all are pruned, both differences are halved
// until one is left (the paper raises them, which would prune more). Nothing if there are fewer than two kernels, or if
// no two fit on an SM.
std::optional<CoSchedule> find_co_schedule(const SmModel& sm, const SmLimits& limits,
                                           std::span<const Candidate> kernels, PairOptions options = {});

}  // namespace heddle::model
