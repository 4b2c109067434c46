// Against what CUDA's own calculator says, recorded in occupancy.txt.
#include "model/occupancy.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "support/places.hpp"

namespace heddle::model {
namespace {

TEST(Occupancy, IsThatOfCudasOwnCalculator) {
  std::ifstream file(tests::test_data() / "model/occupancy.txt");
  ASSERT_TRUE(file);
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    unsigned capability = 0, blocks = 0;
    BlockNeeds needs;
    ASSERT_TRUE(fields >> capability >> needs.threads >> needs.registers >> needs.shared >> blocks) << line;
    const auto limits = limits_of(capability);
    ASSERT_TRUE(limits) << line;
    EXPECT_EQ(resident_blocks(*limits, needs), blocks) << line;
    ++rows;
  }
  EXPECT_GT(rows, 200);
}

TEST(Occupancy, KnownValues) {
  const SmLimits a100 = *limits_of(80);
  EXPECT_EQ(resident_blocks(a100, {.threads = 256, .registers = 32}), 8u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 32}), 32u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 1024, .registers = 64}), 1u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 1024, .registers = 65}), 0u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 1, .registers = 256}), 0u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 32, .shared = 163 * 1024}), 1u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 32, .shared = 163 * 1024 + 1}), 0u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 0}), 0u);
  EXPECT_EQ(resident_blocks(a100, {.threads = 1025}), 0u);
  EXPECT_FALSE(limits_of(20));
}

TEST(Occupancy, DynamicSharedIsTheMostThatStillFits) {
  for (unsigned capability : {70u, 75u, 80u, 86u, 90u, 120u}) {
    const SmLimits limits = *limits_of(capability);
    for (unsigned blocks : {1u, 2u, 3u, 5u, 8u}) {
      const BlockNeeds needs{.threads = 128, .registers = 32, .shared = 1000};
      const auto dynamic = dynamic_shared_for(limits, needs, blocks);
      ASSERT_TRUE(dynamic) << capability << " " << blocks;
      const auto with = [&](std::uint64_t more) {
        return resident_blocks(limits, {needs.threads, needs.registers, needs.shared + more});
      };
      EXPECT_GE(with(*dynamic), blocks) << capability;
      EXPECT_LT(with(*dynamic + 1), blocks) << capability;
    }
    EXPECT_FALSE(dynamic_shared_for(limits, {.threads = 1024}, 33));
  }
}

TEST(Occupancy, MostThreadsByRegisters) {
  const SmLimits a100 = *limits_of(80);
  EXPECT_EQ(most_threads(a100, 32), 1024u);
  EXPECT_EQ(most_threads(a100, 128), 512u);
  EXPECT_EQ(most_threads(a100, 255), 256u);
}

}  // namespace
}  // namespace heddle::model
