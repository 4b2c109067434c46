#include "skeleton/decomposition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/temporary_folder.hpp"
#include "heddle/error.hpp"
#include "skeleton/platforms.hpp"

namespace heddle::skeleton {
namespace {

using testing::HasSubstr;

std::string refusal(std::span<const ArrayUse> arrays) {
  try {
    units_of(arrays);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// Constraints (c1) to (c4), for random units, groups and elements per thread.
TEST(Decomposition, KeepsItsConstraints) {
  std::mt19937 random(5);
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  for (int turn = 0; turn < 3000; ++turn) {
    const std::uint64_t units = pick(1, 5000), unit_a = pick(1, 48), unit_b = pick(1, 48);
    std::vector<PartDemand> parts(pick(1, 14));
    const std::uint64_t nu_a = pick(1, 4), nu_b = pick(1, 4);
    for (PartDemand& part : parts) {
      const std::uint64_t group_a = 32 * pick(1, 8), group_b = 32 * pick(1, 8);
      part.weight = pick(0, 4) == 0 ? 0 : static_cast<double>(pick(1, 1000));
      part.arrays = {{"a", units * unit_a, unit_a, {{"k", nu_a, group_a}, {"l", nu_b, group_b}}},
                     {"b", units * unit_b, unit_b, {{"l", nu_b, group_b}}}};
    }
    parts[0].weight += 1;
    const std::vector<Range> ranges = decompose(units, parts);
    std::uint64_t at = 0;
    std::size_t last = 0;
    for (std::size_t j = 0; j < parts.size(); ++j)
      if (parts[j].weight > 0) last = j;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      ASSERT_EQ(ranges[j].first, at);  // (c1)
      at += ranges[j].count;
      if (parts[j].weight == 0) {
        EXPECT_EQ(ranges[j].count, 0u);
      }
      if (j == last) continue;  // takes the remainder
      for (const ArrayUse& array : parts[j].arrays) {
        const std::uint64_t elements = ranges[j].count * array.unit;
        EXPECT_EQ(elements % array.unit, 0u);                                                               // (c2)
        for (const KernelUse& use : array.kernels) EXPECT_EQ(elements % (use.per_thread * use.group), 0u);  // (c3, c4)
      }
    }
    EXPECT_EQ(at, units);  // (c1)
  }
}

TEST(Decomposition, RangesBeginAtTheAlignment) {
  const std::vector<ArrayUse> arrays{{"a", 10'000, 1, {{"k", 1, 64}}}};
  const std::vector<Range> ranges =
      decompose(10'000, std::vector<PartDemand>{{1, arrays}, {1, arrays}, {1, arrays}}, 192);
  for (const Range& range : ranges) EXPECT_EQ(range.first % 192, 0u);
  EXPECT_EQ(ranges.back().end(), 10'000u);
}

TEST(Decomposition, FollowsTheWeights) {
  const std::vector<ArrayUse> arrays{{"a", 1000, 1, {}}};
  const std::vector<Range> ranges = decompose(1000, std::vector<PartDemand>{{1, arrays}, {3, arrays}});
  EXPECT_EQ(ranges[0].count, 250u);
  EXPECT_EQ(ranges[1].count, 750u);
}

// H1: lines of an image, blocks of 192 threads on one type of device and 256 on the other, two elements for each.
TEST(Decomposition, ImagesWhoseSizesAreNoMultiplesOfBlocks) {
  for (const auto& [width, height] : {std::pair<std::uint64_t, std::uint64_t>{4288, 2848}, {1440, 900}}) {
    std::vector<PartDemand> parts;
    for (const std::uint64_t group : {192, 256})
      parts.push_back({group == 192 ? 0.7 : 0.3, {{"image", width * height, width, {{"noise", 2, group}}}}});
    const std::vector<Range> ranges = decompose(height, parts);
    EXPECT_EQ(ranges[0].count * width % 384, 0u);
    EXPECT_EQ(ranges[1].end(), height);
    EXPECT_NEAR(static_cast<double>(ranges[0].count) / static_cast<double>(height), 0.7, 0.01);
  }
}

TEST(Decomposition, SizesThatForbidASplitAreNamed) {
  const std::vector<ArrayUse> broken{{"argument 3", 1000, 300, {}}};
  EXPECT_THAT(refusal(broken), HasSubstr("argument 3 has 1000 elements, no multiple of its partitioning unit of 300"));
  const std::vector<ArrayUse> different{{"argument 0", 100, 1, {}}, {"argument 1", 100, 10, {}}};
  EXPECT_THAT(refusal(different), HasSubstr("argument 0 has 100 partitioning units and argument 1 has 10"));
  EXPECT_THAT(refusal({}), HasSubstr("there is no work"));
  const std::vector<ArrayUse> small{{"argument 2", 1000, 1, {{"blur", 4, 256}}}};
  EXPECT_EQ(why_not_split(1000, 2, small),
            "argument 2 has 1000 elements, too few for 2 parts: parts are multiples of 1024 elements because of kernel "
            "blur, whose blocks of 256 threads compute 1024 elements");
  const std::vector<ArrayUse> lines{{"argument 1", 300, 100, {}}};
  EXPECT_THAT(why_not_split(3, 4, lines), HasSubstr("because of its partitioning unit of 100 elements"));
  EXPECT_EQ(why_not_split(3, 3, lines), "");
}

// Eight processors: two threads for each core, an L2 for each core, an L3 for two cores, one node.
TEST(CacheDomains, AreThoseThatLinuxShows) {
  base::TemporaryFolder folder;
  folder.create("cache-domains");
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  };
  for (int cpu = 0; cpu < 1024; ++cpu) {
    const std::string base = "cpu/cpu" + std::to_string(cpu) + "/", pair = std::to_string(cpu);
    const std::string four = std::to_string(cpu / 2 * 2) + "-" + std::to_string(cpu / 2 * 2 + 1);
    if (cpu >= 8) break;
    write(base + "topology/thread_siblings_list", pair);
    write(base + "cache/index0/level", "1");
    write(base + "cache/index0/type", "Data");
    write(base + "cache/index0/shared_cpu_list", pair);
    write(base + "cache/index1/level", "3");
    write(base + "cache/index1/type", "Unified");
    write(base + "cache/index1/shared_cpu_list", four);
  }
  write("node/node0/cpulist", "0-7");
  // The machine that runs this test may use two processors or more.
  using Domains = std::vector<std::vector<unsigned>>;
  EXPECT_EQ(cache_domains(knowledge::Fission::l1, 2, folder.path()), (Domains{{0}, {1}}));
  EXPECT_EQ(cache_domains(knowledge::Fission::numa, 2, folder.path()), (Domains{{0, 1}}));
  EXPECT_EQ(cache_domains(knowledge::Fission::none, 2, folder.path()), (Domains{{0, 1}}));
  EXPECT_EQ(cache_domains(knowledge::Fission::l2, 2, folder.path()), (Domains{{0, 1}}));  // not shown

  // Every run asks: the files are read once.
  const CacheDomains known(folder.path());
  EXPECT_EQ(known.of(knowledge::Fission::l1, 2), (Domains{{0}, {1}}));
  std::filesystem::remove_all(std::filesystem::path(folder.path()) / "cpu");
  EXPECT_EQ(known.of(knowledge::Fission::l1, 2), (Domains{{0}, {1}}));
  EXPECT_EQ(cache_domains(knowledge::Fission::l1, 2, folder.path()), (Domains{{0, 1}}));
}

}  // namespace
}  // namespace heddle::skeleton
