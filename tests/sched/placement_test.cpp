// Where launches go: tables of what devices hold and do, and what each policy makes of it.
#include "sched/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace heddle::sched {
namespace {

using testing::HasSubstr;
using enum Scheduling::Placement;

// Memories of three devices and the host.
constexpr Memories d0 = 1, d1 = 2, d2 = 4, host = 8;
constexpr std::uint64_t kib = 1024;

// Devices 0 and 1 are near each other, 2 is far from both and near the host.
LinkTable links() {
  return LinkTable({{0, 100e9, 10e9, 20e9}, {100e9, 0, 10e9, 20e9}, {10e9, 10e9, 0, 50e9}, {20e9, 20e9, 50e9, 0}});
}

struct Case {
  const char* what;
  std::vector<NeededBytes> needed;
  std::vector<std::uint32_t> busy;
  std::size_t size, minmin, minmax;  // what the three policies that count bytes choose
  bool held = true;                  // else it is a turn
};

const Case cases[] = {
    {"all of it lies on one device", {{kib, d1}}, {0, 9, 0}, 1, 1, 1},
    {"the host alone has it: the first turn", {{kib, host}}, {5, 0, 0}, 0, 0, 0, false},
    {"nothing is needed: the first turn", {}, {5, 0, 0}, 0, 0, 0, false},
    {"two hold parts: the larger one", {{3 * kib, d0}, {4 * kib, d2}}, {0, 0, 0}, 2, 2, 2},
    {"both hold all: the one with less to do", {{kib, d0 | d1}}, {3, 2, 0}, 1, 1, 1},
    {"both hold all and do as much: the first", {{kib, d1 | d2}}, {0, 4, 4}, 1, 1, 1},
    {"less than a tenth is held: a turn", {{99, d2}, {901, host}}, {0, 0, 0}, 0, 0, 0, false},
    {"a tenth is held", {{100, d2}, {900, host}}, {0, 0, 0}, 2, 2, 2},
    {"what is farther away counts", {{500, d0}, {400, d2}, {300, host}}, {0, 0, 0}, 0, 0, 0},
    {"a fast link makes up for more bytes, and not the slowest",
     {{100, d0}, {110, d2}, {800, d1}, {800, d2 | host}},
     {0, 0, 0},
     2,
     1,
     2},
    {"the link from the host decides", {{500, d1}, {400, d2}, {800, host}}, {0, 0, 0}, 1, 2, 2},
};

std::size_t choose(Scheduling::Placement policy, const Case& each, bool* held = nullptr) {
  Placement placement(policy, {0, 1, 2});
  const PlacementChoice choice = placement.choose(each.needed, each.busy, links());
  if (held) *held = choice.reason == PlacementReason::fewest_bytes || choice.reason == PlacementReason::least_time;
  return choice.device;
}

TEST(Placement, CountsBytesAndTime) {
  for (const Case& each : cases) {
    bool held = false;
    EXPECT_EQ(choose(min_transfer_size, each, &held), each.size) << each.what;
    EXPECT_EQ(held, each.held) << each.what;
    EXPECT_EQ(choose(minmin_transfer_time, each, &held), each.minmin) << each.what;
    EXPECT_EQ(held, each.held) << each.what;
    EXPECT_EQ(choose(minmax_transfer_time, each, &held), each.minmax) << each.what;
    EXPECT_EQ(held, each.held) << each.what;
  }
}

TEST(Placement, LostDevicesAreLeftOut) {
  Placement placement(round_robin, {0, 2, 5});
  const auto next = [&] { return placement.choose({}, {}, LinkTable()).device; };
  EXPECT_EQ(next(), 0u);
  EXPECT_EQ(next(), 2u);
  placement.leave_out(5);
  EXPECT_EQ(next(), 0u) << "it would have been its turn";
  placement.leave_out(5);
  placement.leave_out(0);
  EXPECT_EQ(next(), 2u);
  placement.leave_out(2);
  EXPECT_EQ(next(), 2u) << "the last one stays, and its error is seen";
}

TEST(Placement, TakesTurns) {
  Placement placement(round_robin, {0, 2, 5});
  std::vector<std::size_t> chosen;
  for (int i = 0; i < 5; ++i) chosen.push_back(placement.choose({}, {}, {}).device);
  EXPECT_EQ(chosen, (std::vector<std::size_t>{0, 2, 5, 0, 2}));
}

TEST(Placement, TakesTurnsOnlyWhereNothingIsHeld) {
  Placement placement(min_transfer_size, {0, 1});
  const std::vector<std::uint32_t> busy(3);
  const std::vector<NeededBytes> nowhere{{kib, host}}, there{{kib, d0}};
  EXPECT_EQ(placement.choose(nowhere, busy, {}).device, 0);
  EXPECT_EQ(placement.choose(there, busy, {}).device, 0);
  EXPECT_EQ(placement.choose(nowhere, busy, {}).device, 1);
  EXPECT_EQ(placement.choose(there, busy, {}).device, 0);
  EXPECT_EQ(placement.choose(nowhere, busy, {}).device, 0);
}

TEST(Placement, PrefersTheFewestBusyQueues) {
  Placement placement(stream_aware, {1, 2});
  const auto with = [&](std::vector<std::uint32_t> busy) { return placement.choose({}, busy, {}).device; };
  EXPECT_EQ(with({0, 3, 2}), 2);  // device 0 is none to choose
  EXPECT_EQ(with({0, 2, 3}), 1);
  EXPECT_EQ(with({0, 2, 2}), 1);
}

TEST(Placement, ByPolicyIsTheFirst) {
  Placement placement(first, {1, 2});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(placement.choose({}, {}, {}).device, 1);
}

TEST(Placement, DevicesThatAreNoneToChooseAreSourcesOnly) {
  Placement placement(min_transfer_size, {0, 1});
  const std::vector<NeededBytes> needed{{4 * kib, d2}, {kib, d1}};
  EXPECT_EQ(placement.choose(needed, std::vector<std::uint32_t>(3), {}).device, 1);
}

TEST(Placement, SaysWhy) {
  const std::vector<std::string> ids{"cuda:0", "cuda:1", "cuda:2"};
  const std::vector<NeededBytes> needed{{2 * kib, d1}, {8 * kib, host}};
  const std::vector<std::uint32_t> busy{0, 1, 2};
  const auto told = [&](Scheduling::Placement policy) {
    Placement placement(policy, {0, 1, 2});
    const PlacementChoice choice = placement.choose(needed, busy, links());
    return placement.explain(choice, needed, busy, links(), ids);
  };
  EXPECT_EQ(told(round_robin), "it is its turn");
  EXPECT_EQ(
      told(stream_aware),
      "it has the fewest busy queues: cuda:0 has 0 busy queues; cuda:1 has 1 busy queue; cuda:2 has 2 busy queues");
  EXPECT_THAT(told(min_transfer_size),
              HasSubstr("the fewest bytes have to be moved there: cuda:0 holds 0 B of 10.0 KiB"));
  EXPECT_THAT(told(min_transfer_size), HasSubstr("cuda:1 holds 2.00 KiB of 10.0 KiB, has 1 busy queue"));
  EXPECT_THAT(told(minmin_transfer_time), HasSubstr("(0.00041 ms for the rest)"));
}

TEST(LinkTable, IsTheSameBothWaysAndRoundedDown) {
  const LinkTable table({{0, 53.9e9, 3e8}, {57.7e9, 0, 10}, {3.0007e8, 10, 0}});
  EXPECT_EQ(table.memories(), 3u);
  EXPECT_DOUBLE_EQ(table.bytes_per_second(0, 1), 55e9);  // the mean of both
  EXPECT_DOUBLE_EQ(table.bytes_per_second(1, 0), 55e9);
  EXPECT_DOUBLE_EQ(table.bytes_per_second(2, 0), 3e8);
  EXPECT_DOUBLE_EQ(table.bytes_per_second(1, 2), 1e6);
}

}  // namespace
}  // namespace heddle::sched
