#include "model/corun/pairs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace heddle::model {
namespace {

Candidate used(double pipeline, double memory) { return {.pipeline_use = pipeline, .memory_use = memory}; }

// Table IV of the paper, C2050, in its order: PC, SAD, SPMV, ST, MM, MRIQ, BS, TEA. Of BS, the digits of PUR are
// swapped in print (0.8642), and MUR is 0.0604 there: with that, the row 0.06 of Table VI would not be what the paper
// prints.
const std::vector<Candidate> table_4 = {used(.0096, .1404), used(.1498, .1120), used(.3464, .003),  used(.3629, .1156),
                                        used(.5804, .0161), used(.8539, .0002), used(.8462, .0601), used(.9978, .0196)};

TEST(Pruning, TableSix) {
  constexpr std::array<std::array<int, 10>, 10> table_6 = {{{0, 0, 2, 2, 3, 4, 4, 4, 4, 4},
                                                            {0, 2, 5, 6, 7, 8, 9, 9, 9, 9},
                                                            {0, 3, 7, 8, 9, 10, 11, 11, 11, 11},
                                                            {1, 4, 8, 9, 12, 13, 15, 15, 15, 15},
                                                            {1, 4, 8, 9, 12, 13, 15, 15, 15, 15},
                                                            {1, 4, 8, 9, 12, 13, 15, 15, 16, 16},
                                                            {1, 4, 9, 10, 14, 15, 18, 18, 20, 20},
                                                            {2, 6, 11, 12, 17, 18, 21, 22, 24, 24},
                                                            {2, 6, 11, 12, 17, 19, 22, 23, 25, 26},
                                                            {2, 6, 11, 13, 18, 20, 23, 24, 27, 28}}};
  int cells = 0;
  for (std::size_t m = 0; m < 10; ++m)
    for (std::size_t p = 0; p < 10; ++p) {
      const PairOptions options{.pipeline_difference = .1 * static_cast<double>(p + 1),
                                .memory_difference = .015 * static_cast<double>(m + 1)};
      int pruned = 0;
      for (std::size_t i = 0; i < table_4.size(); ++i)
        for (std::size_t j = i + 1; j < table_4.size(); ++j)
          pruned += is_pruned(table_4[i], table_4[j], options) ? 1 : 0;
      cells += pruned == table_6[m][p] ? 1 : 0;
      EXPECT_EQ(pruned, table_6[m][p]) << options.memory_difference << ", " << options.pipeline_difference;
    }
  EXPECT_EQ(cells, 100);
}

// 16 warps, nothing but warps limits.
SmLimits sixteen_warps() {
  SmLimits limits;
  limits.threads = 512;
  limits.shared = limits.block_shared = 48 * 1024;
  return limits;
}
SmModel constant(double latency) { return {.latency = {.base = latency, .uncoalesced_base = latency}}; }

Candidate kernel(double memory_ratio, double instructions) {
  return {.profile = {.memory_ratio = memory_ratio}, .needs = {.threads = 128}, .block_instructions = instructions};
}

TEST(BestRatio, BalancedAndMostProfit) {
  const SmModel sm = constant(100);
  const Candidate a = kernel(.02, 1000), b = kernel(.3, 400);
  const PairIpc alone{solo_ipc(sm, a.profile, 16), solo_ipc(sm, b.profile, 16)};
  const auto balanced = best_ratio(sm, sixteen_warps(), a, b, alone, PairOptions::Ratio::balanced);
  ASSERT_TRUE(balanced);
  EXPECT_EQ(balanced->first_blocks, 3u);
  EXPECT_EQ(balanced->second_blocks, 1u);
  EXPECT_NEAR(balanced->imbalance, 880, 1);
  EXPECT_NEAR(balanced->profit, .086, 5e-4);
  const auto halved = best_ratio(sm, sixteen_warps(), a, b, alone, PairOptions::Ratio::nearly_balanced);
  ASSERT_TRUE(halved);
  EXPECT_EQ(halved->first_blocks, 3u);
  EXPECT_EQ(halved->imbalance, balanced->imbalance);
  const auto profitable = best_ratio(sm, sixteen_warps(), a, b, alone, PairOptions::Ratio::most_profit);
  ASSERT_TRUE(profitable);
  EXPECT_EQ(profitable->first_blocks, 1u);
  EXPECT_EQ(profitable->second_blocks, 3u);
  EXPECT_NEAR(profitable->imbalance, 1954, 1);
  EXPECT_NEAR(profitable->profit, .240, 5e-4);
}

// Every pair of numbers that fits, by adding one block after the other with CUDA's rules for one kernel.
TEST(FitTogether, AsTheSumOfWhatBothNeed) {
  SmLimits limits = *limits_of(80);
  const BlockNeeds registers{.threads = 256, .registers = 128},
      shared{.threads = 64, .registers = 32, .shared = 40'000};
  EXPECT_EQ(resident_blocks(limits, registers), 2u);
  EXPECT_EQ(resident_blocks(limits, shared), 4u);
  EXPECT_TRUE(fit_together(limits, registers, 1, shared, 4));
  EXPECT_FALSE(fit_together(limits, registers, 2, shared, 1));  // no register is left
  EXPECT_FALSE(fit_together(limits, registers, 1, shared, 5));  // shared memory
  EXPECT_TRUE(fit_together(limits, registers, 2, shared, 0));
  limits.blocks = 4;
  EXPECT_FALSE(fit_together(limits, registers, 1, shared, 4));
  limits.threads = 320;
  limits.blocks = 32;
  EXPECT_TRUE(fit_together(limits, registers, 1, shared, 1));
  EXPECT_FALSE(fit_together(limits, registers, 1, shared, 2));
}

TEST(FindCoSchedule, TakesTheMostProfitableOfAllPairs) {
  const SmModel sm = constant(200);
  std::vector<Candidate> kernels;
  for (const double memory_ratio : {.01, .02, .1, .2, .35}) {
    Candidate made = kernel(memory_ratio, 500);
    made.pipeline_use = 1 - 2 * memory_ratio;
    made.memory_use = memory_ratio;
    kernels.push_back(made);
  }
  const auto found = find_co_schedule(sm, sixteen_warps(), kernels);
  ASSERT_TRUE(found);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j) {
      const PairIpc alone{solo_ipc(sm, kernels[i].profile, 16), solo_ipc(sm, kernels[j].profile, 16)};
      const auto made = best_ratio(sm, sixteen_warps(), kernels[i], kernels[j], alone, PairOptions::Ratio::balanced);
      ASSERT_TRUE(made);
      if (is_pruned(kernels[i], kernels[j], {})) continue;
      EXPECT_LE(made->profit, found->profit);
      if (i == found->first && j == found->second) {
        EXPECT_EQ(made->profit, found->profit);
      }
    }
}

TEST(FindCoSchedule, LowersTheThresholdsIfAllArePruned) {
  const SmModel sm = constant(200);
  Candidate a = kernel(.05, 500), b = kernel(.2, 500);
  a.pipeline_use = .5;
  b.pipeline_use = .49;
  EXPECT_TRUE(is_pruned(a, b, {}));
  const std::vector<Candidate> two = {a, b}, same = {a, a};
  ASSERT_TRUE(find_co_schedule(sm, sixteen_warps(), two));
  EXPECT_GT(find_co_schedule(sm, sixteen_warps(), two)->profit, 0);
  ASSERT_TRUE(find_co_schedule(sm, sixteen_warps(), same));
  EXPECT_NEAR(find_co_schedule(sm, sixteen_warps(), same)->profit, 0, 1e-12);
  EXPECT_FALSE(find_co_schedule(sm, sixteen_warps(), std::vector<Candidate>{a}));
}

}  // namespace
}  // namespace heddle::model
