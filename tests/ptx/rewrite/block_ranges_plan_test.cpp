// What is launched for a range of blocks: boxes cover it once and in order, divisions are exact, hidden arguments stand
// where they belong.
#include "ptx/rewrite/block_ranges_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "heddle/error.hpp"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

std::uint64_t number_of(const Dim3& grid, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return x + grid.x * (y + grid.y * z);
}

std::vector<std::uint64_t> blocks_in(const Dim3& grid, const BlockBox& box) {
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t z = 0; z < box.extent.z; ++z)
    for (std::uint64_t y = 0; y < box.extent.y; ++y)
      for (std::uint64_t x = 0; x < box.extent.x; ++x) {
        EXPECT_LT(box.origin.x + x, grid.x);
        EXPECT_LT(box.origin.y + y, grid.y);
        EXPECT_LT(box.origin.z + z, grid.z);
        blocks.push_back(number_of(grid, box.origin.x + x, box.origin.y + y, box.origin.z + z));
      }
  return blocks;
}

void expect_exact_cover(const Dim3& grid, const BlockRange& range) {
  SCOPED_TRACE(testing::Message() << grid.x << "x" << grid.y << "x" << grid.z << " [" << range.begin << ", "
                                  << range.end << ")");
  std::vector<std::uint64_t> got;
  const std::vector<BlockBox> boxes = boxes_of(grid, range);
  EXPECT_LE(boxes.size(), 5u);
  for (const BlockBox& box : boxes) {
    const auto blocks = blocks_in(grid, box);
    EXPECT_FALSE(blocks.empty());
    got.insert(got.end(), blocks.begin(), blocks.end());
  }
  std::vector<std::uint64_t> want;
  for (std::uint64_t b = range.begin; b < range.end; ++b) want.push_back(b);
  ASSERT_EQ(got, want);
}

TEST(BlockRangesPlan, BoxesCoverRandomRangesOnceAndInOrder) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  for (int turn = 0; turn < 3000; ++turn) {
    const Dim3 grid{1 + below(9), 1 + below(6), 1 + below(5)};
    const auto total = static_cast<std::uint32_t>(grid.count());
    std::uint64_t a = below(total + 1), b = below(total + 1);
    if (a > b) std::swap(a, b);
    expect_exact_cover(grid, {a, b});
  }
}

TEST(BlockRangesPlan, EveryRangeOfASmallGridIsCovered) {
  for (const Dim3& grid : {Dim3{3, 2, 2}, Dim3{1, 4, 3}, Dim3{4, 1, 3}, Dim3{1, 1, 5}, Dim3{7, 1, 1}})
    for (std::uint64_t a = 0; a <= grid.count(); ++a)
      for (std::uint64_t b = a; b <= grid.count(); ++b) expect_exact_cover(grid, {a, b});
}

TEST(BlockRangesPlan, RangesThatAreBoxesTakeOneLaunch) {
  EXPECT_EQ(boxes_of({1000, 1, 1}, {17, 900}), (std::vector<BlockBox>{{{17, 0, 0}, {883, 1, 1}}}));
  EXPECT_EQ(boxes_of({10, 20, 1}, {30, 120}), (std::vector<BlockBox>{{{0, 3, 0}, {10, 9, 1}}}));
  EXPECT_EQ(boxes_of({10, 20, 5}, {200, 800}), (std::vector<BlockBox>{{{0, 0, 1}, {10, 20, 3}}}));
  EXPECT_EQ(boxes_of({10, 20, 5}, {0, 1000}), (std::vector<BlockBox>{{{0, 0, 0}, {10, 20, 5}}}));
  EXPECT_EQ(boxes_of({10, 20, 5}, {15, 823}).size(), 5u);
}

TEST(BlockRangesPlan, LargeGridsDoNotOverflow) {
  const Dim3 grid{0x7fffffff, 65535, 3};
  const std::uint64_t row = grid.x, plane = row * grid.y;
  const auto boxes = boxes_of(grid, {plane - 5, plane + row + 1});
  EXPECT_EQ(boxes, (std::vector<BlockBox>{
                       {{grid.x - 5, 65534, 0}, {5, 1, 1}}, {{0, 0, 1}, {grid.x, 1, 1}}, {{0, 1, 1}, {1, 1, 1}}}));
}

std::uint64_t divide(std::uint32_t n, const RangeDivisor& divisor) {
  const auto high = static_cast<std::uint32_t>((std::uint64_t{n + n} * divisor.magic) >> 32);
  return divisor.shift >= 32 ? 0 : high >> divisor.shift;
}

TEST(BlockRangesPlan, DivisionIsExact) {
  std::mt19937 random(11);
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t d = 1; d <= 300; ++d) divisors.push_back(d);
  for (unsigned bit = 1; bit < 32; ++bit)
    for (std::uint32_t near : {(1u << bit) - 1, 1u << bit, (1u << bit) + 1}) divisors.push_back(near);
  divisors.push_back(0xffffffff);
  for (int i = 0; i < 2000; ++i) divisors.push_back(std::max<std::uint32_t>(1, random() >> (random() % 32)));
  constexpr std::uint32_t most = 0x7fffffff;
  for (std::uint32_t d : divisors) {
    const RangeDivisor divisor = range_divisor(d);
    std::vector<std::uint32_t> numbers{0, 1, most, most - 1};
    // Where quotients change is where an inexact one shows.
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t multiple = std::uint64_t{d} * (random() % (most / d + 1));
      for (std::uint64_t n : {multiple, multiple + d - 1, multiple == 0 ? 0 : multiple - 1})
        if (n <= most) numbers.push_back(static_cast<std::uint32_t>(n));
    }
    for (std::uint32_t n : numbers) ASSERT_EQ(divide(n, divisor), n / d) << n << " / " << d;
  }
}

RangeEntry entry_of(RangeForm form, std::vector<HiddenParameter> hidden) {
  RangeEntry entry;
  entry.name = "k";
  entry.form = form;
  entry.hidden_offset = 8;
  entry.hidden = std::move(hidden);
  entry.parameter_bytes = entry.hidden.empty() ? 8 : entry.hidden.back().offset + entry.hidden.back().bytes;
  return entry;
}

std::uint32_t word(const RangeLaunch& launch, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, launch.hidden.data() + offset, sizeof value);
  return value;
}

TEST(BlockRangesPlan, BoxesAreGivenOffsetsAndTheGrid) {
  const RangeEntry entry = entry_of(
      RangeForm::box, {{HiddenValue::offset_x, 8, 4}, {HiddenValue::offset_z, 12, 4}, {HiddenValue::grid_y, 16, 4}});
  const auto launches = plan_range(entry, {4, 3, 5}, {2, 14});
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(launches[1].grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(launches[2].grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(word(launches[0], 0), 2u);
  EXPECT_EQ(word(launches[0], 4), 0u);
  EXPECT_EQ(word(launches[2], 0), 0u);
  EXPECT_EQ(word(launches[2], 4), 1u);
  for (const RangeLaunch& launch : launches) {
    EXPECT_EQ(launch.hidden.size(), 12u);
    EXPECT_EQ(word(launch, 8), 3u);
  }
}

TEST(BlockRangesPlan, OtherFormsTakeOneLaunch) {
  const RangeEntry prelude = entry_of(RangeForm::prelude, {{HiddenValue::first, 8, 4}, {HiddenValue::count, 12, 4}});
  auto launches = plan_range(prelude, {4, 3, 5}, {2, 14});
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].grid, (Dim3{4, 3, 5}));
  EXPECT_EQ(word(launches[0], 0), 2u);
  EXPECT_EQ(word(launches[0], 4), 12u);

  const RangeEntry linear = entry_of(RangeForm::linear, {{HiddenValue::first, 8, 4}, {HiddenValue::magic_y, 12, 4}});
  launches = plan_range(linear, {4, 3, 5}, {2, 14});
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].grid, (Dim3{12, 1, 1}));
  EXPECT_EQ(word(launches[0], 4), range_divisor(3).magic);

  const RangeEntry pool = entry_of(
      RangeForm::pool, {{HiddenValue::counter, 8, 8}, {HiddenValue::control, 16, 8}, {HiddenValue::end, 24, 4}});
  launches = plan_range(pool, {4, 3, 5}, {2, 14}, {}, {6, 0x123456789abcull, 0xfedcba9870ull});
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].grid, (Dim3{6, 1, 1}));
  std::uint64_t address = 0;
  std::memcpy(&address, launches[0].hidden.data() + 8, sizeof address);
  EXPECT_EQ(address, 0xfedcba9870ull);
  EXPECT_EQ(word(launches[0], 16), 14u);
}

TEST(BlockRangesPlan, EmptyRangesLaunchNothing) {
  for (RangeForm form : {RangeForm::box, RangeForm::linear, RangeForm::prelude, RangeForm::pool})
    EXPECT_TRUE(plan_range(entry_of(form, {}), {4, 3, 5}, {7, 7}).empty());
}

std::string refusal(const RangeEntry& entry, const Dim3& grid, const BlockRange& range, const Dim3& cluster = {}) {
  try {
    plan_range(entry, grid, range, cluster);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(BlockRangesPlan, RangesOutsideOfTheGridAreRefused) {
  const RangeEntry box = entry_of(RangeForm::box, {});
  EXPECT_THAT(refusal(box, {4, 3, 5}, {0, 61}), HasSubstr("blocks 0 to 61 are not within a grid of 60 blocks"));
  EXPECT_THAT(refusal(box, {4, 3, 5}, {5, 4}), HasSubstr("not within"));
  EXPECT_THAT(refusal(box, {4, 0, 5}, {0, 0}), HasSubstr("empty"));
}

TEST(BlockRangesPlan, FormsThatCountTakeOnlySoManyBlocks) {
  const Dim3 large{65536, 32768, 1}, larger{65536, 65535, 2};
  EXPECT_THAT(refusal(entry_of(RangeForm::linear, {}), large, {0, 5}), HasSubstr("fewer than 2^31"));
  EXPECT_THAT(refusal(entry_of(RangeForm::pool, {}), large, {0, 5}), HasSubstr("fewer than 2^31"));
  EXPECT_EQ(refusal(entry_of(RangeForm::prelude, {}), large, {0, 5}), "");
  EXPECT_THAT(refusal(entry_of(RangeForm::prelude, {}), larger, {0, 5}), HasSubstr("fewer than 2^32"));
  EXPECT_EQ(refusal(entry_of(RangeForm::box, {}), larger, {0, 5}), "");
}

TEST(BlockRangesPlan, ClustersStayWhole) {
  RangeEntry box = entry_of(RangeForm::box, {{HiddenValue::cluster_offset_x, 8, 4}, {HiddenValue::clusters_y, 12, 4}});
  const Dim3 grid{8, 4, 2}, pair{2, 1, 1}, square{2, 2, 1};
  EXPECT_EQ(refusal(box, grid, {2, 30}, pair), "");
  EXPECT_THAT(refusal(box, grid, {3, 30}, pair), HasSubstr("not whole clusters of 2 x 1 x 1"));
  EXPECT_THAT(refusal(box, grid, {2, 30}, square), HasSubstr("not whole clusters"));
  EXPECT_EQ(refusal(box, grid, {16, 48}, square), "");
  EXPECT_THAT(refusal(box, grid, {0, 24}, square), HasSubstr("not whole clusters"));
  EXPECT_THAT(refusal(box, {9, 4, 2}, {0, 72}, pair), HasSubstr("does not consist of clusters"));
  EXPECT_THAT(refusal(entry_of(RangeForm::linear, {}), grid, {0, 64}, pair),
              HasSubstr("cannot be launched in clusters"));
  EXPECT_THAT(refusal(entry_of(RangeForm::prelude, {}), grid, {1, 64}, pair), HasSubstr("not whole clusters"));

  const auto launches = plan_range(box, grid, {2, 8}, pair);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(word(launches[0], 0), 1u);
  EXPECT_EQ(word(launches[0], 4), 4u);
  box.cluster = square;  // what the kernel asks for comes first
  EXPECT_THAT(refusal(box, grid, {2, 8}, pair), HasSubstr("not whole clusters of 2 x 2 x 1"));
}

// Whatever whole clusters a range has, its boxes have: no range that should be taken is refused.
TEST(BlockRangesPlan, RangesOfWholeClustersAreTaken) {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  const RangeEntry box = entry_of(RangeForm::box, {});
  for (int turn = 0; turn < 1000; ++turn) {
    const Dim3 cluster{1u << below(3), 1u << below(2), 1u << below(2)};
    const Dim3 grid{cluster.x * (1 + below(4)), cluster.y * (1 + below(3)), cluster.z * (1 + below(2))};
    std::uint64_t a = below(static_cast<std::uint32_t>(grid.count()) + 1);
    std::uint64_t b = below(static_cast<std::uint32_t>(grid.count()) + 1);
    if (a > b) std::swap(a, b);
    // Blocks of each cluster within the range.
    std::vector<std::uint64_t> inside(grid.count());
    for (std::uint64_t n = a; n < b; ++n) {
      const std::uint64_t x = n % grid.x / cluster.x, y = n / grid.x % grid.y / cluster.y;
      const std::uint64_t z = n / grid.x / grid.y / cluster.z;
      ++inside[x + grid.x * (y + grid.y * z)];
    }
    const bool whole =
        std::all_of(inside.begin(), inside.end(), [&](std::uint64_t n) { return n == 0 || n == cluster.count(); });
    EXPECT_EQ(refusal(box, grid, {a, b}, cluster).empty(), whole)
        << grid.x << " " << grid.y << " " << grid.z << " by " << cluster.x << " " << cluster.y << " " << cluster.z
        << ": " << a << " " << b;
  }
}

TEST(BlockRangesPlan, BoxesAreKnownAsSuch) {
  std::mt19937 random(8);
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  for (int turn = 0; turn < 3000; ++turn) {
    const Dim3 grid{1 + below(5), 1 + below(4), 1 + below(4)};
    const auto total = static_cast<std::uint32_t>(grid.count());
    const std::uint64_t a = below(total + 1), b = below(total + 1), begin = std::min(a, b), end = std::max(a, b);
    EXPECT_EQ(is_box(grid, {begin, end}), boxes_of(grid, {begin, end}).size() == 1)
        << grid.x << "x" << grid.y << "x" << grid.z << " [" << begin << ", " << end << ")";
  }
  EXPECT_TRUE(are_boxes({1000}, {3, 1000}, 64));
  EXPECT_TRUE(are_boxes({64, 100}, {0, 6400}, 64));
  EXPECT_TRUE(are_boxes({32, 100}, {0, 3200}, 64));
  EXPECT_FALSE(are_boxes({100, 100}, {0, 10000}, 64));
  EXPECT_FALSE(are_boxes({8, 3, 10}, {0, 240}, 16));
}

// Launch by launch the same as one range after the other.
TEST(BlockRangesPlan, PartsAreRanges) {
  std::mt19937 random(9);
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  for (int turn = 0; turn < 500; ++turn) {
    RangeEntry entry;
    entry.form = turn % 2 == 0 ? RangeForm::box : RangeForm::linear;
    entry.hidden_offset = 16;
    for (const HiddenValue value :
         entry.form == RangeForm::box
             ? std::vector{HiddenValue::offset_x, HiddenValue::offset_y, HiddenValue::offset_z, HiddenValue::grid_x}
             : std::vector{HiddenValue::first, HiddenValue::magic_x, HiddenValue::shift_x})
      entry.hidden.push_back({value, static_cast<std::uint32_t>(16 + 4 * entry.hidden.size()), 4});
    entry.parameter_bytes = static_cast<std::uint32_t>(16 + 4 * entry.hidden.size());
    const Dim3 grid{1 + below(9), 1 + below(6), 1 + below(5)};
    const BlockRange range{below(static_cast<std::uint32_t>(grid.count())), grid.count()};
    const std::uint64_t part = 1 + below(static_cast<std::uint32_t>(range.size()));
    std::vector<std::pair<Dim3, std::vector<std::byte>>> want, got;
    for (std::uint64_t at = range.begin; at < range.end; at += part)
      for (const RangeLaunch& launch : plan_range(entry, grid, {at, std::min(range.end, at + part)}))
        want.emplace_back(launch.grid, launch.hidden);
    std::vector<std::byte> packed(entry.parameter_bytes, std::byte{7});
    std::uint64_t end = range.begin;
    plan_parts(entry, grid, range, part, packed, [&](const Dim3& extent, const BlockRange& now) {
      got.emplace_back(extent, std::vector(packed.begin() + 16, packed.end()));
      EXPECT_TRUE(now.begin == end || now.end == end);
      EXPECT_LE(now.size(), part);
      end = now.end;
    });
    EXPECT_EQ(end, range.end);
    EXPECT_TRUE(got == want) << grid.x << "x" << grid.y << "x" << grid.z << ", parts of " << part;
    EXPECT_EQ(packed[15], std::byte{7});
  }
}

}  // namespace
}  // namespace heddle::ptx
