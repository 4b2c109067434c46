// Addresses of a model of memory: aligned, apart, used again, and the same whatever the host's addresses are.
#include "device/machine/model_addresses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "device/machine/address_map.hpp"

namespace heddle::device::machine {
namespace {

TEST(ModelAddresses, SmallOnesShareRegionsAndLargeOnesHaveTheirOwn) {
  ModelAddresses addresses;
  const std::uint64_t a = addresses.take(1), b = addresses.take(257), c = addresses.take(3 << 20),
                      d = addresses.take(8);
  EXPECT_EQ(a, ModelAddresses::first);
  EXPECT_EQ(b, a + 256);
  EXPECT_EQ(c % ModelAddresses::region, 0u);
  EXPECT_EQ(d, b + 512);
  EXPECT_EQ(addresses.take(3 << 20), c + (4 << 20));
}

TEST(ModelAddresses, WhatIsReleasedIsTakenAgain) {
  ModelAddresses addresses;
  const std::uint64_t a = addresses.take(1000), b = addresses.take(1000), c = addresses.take(5 << 20);
  addresses.release(a, 1000);
  EXPECT_EQ(addresses.take(1024), a);
  addresses.release(b, 1000);
  addresses.release(a, 1024);
  EXPECT_EQ(addresses.take(2048), a);
  addresses.release(c, 5 << 20);
  EXPECT_EQ(addresses.take(2 << 20), c);
}

TEST(ModelAddresses, LiveOnesNeverOverlap) {
  ModelAddresses addresses;
  std::mt19937 random(7);
  struct Piece {
    std::uint64_t address, bytes;
  };
  std::vector<Piece> live;
  for (int i = 0; i < 4000; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      const std::size_t at = random() % live.size();
      addresses.release(live[at].address, live[at].bytes);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    const std::uint64_t bytes = random() % (random() % 8 == 0 ? 6'000'000 : 5000);
    const Piece made{addresses.take(bytes), bytes};
    EXPECT_EQ(made.address % ModelAddresses::alignment, 0u);
    for (const Piece& other : live) {
      const bool apart = made.address + std::max<std::uint64_t>(bytes, 1) <= other.address ||
                         other.address + std::max<std::uint64_t>(other.bytes, 1) <= made.address;
      ASSERT_TRUE(apart) << bytes << " bytes at " << made.address << ", " << other.bytes << " at " << other.address;
    }
    live.push_back(made);
  }
}

TEST(AddressMap, ModelAddressesDependOnOrderAndSizeAlone) {
  const auto models = [](const std::vector<std::uint64_t>& host) {
    AddressMap map;
    std::vector<std::uint64_t> result;
    for (const std::uint64_t address : host) map.add({Allocation::Kind::memory, address, 5000, ""});
    map.remove(host[1]);
    map.add({Allocation::Kind::memory, host[1] + 64, 100, ""});
    for (std::size_t i = 0; i < host.size(); ++i)
      result.push_back(map.holder(host[i] + (i == 1 ? 64 : 0), 1).value().model);
    return result;
  };
  EXPECT_EQ(models({0x10000, 0x20000, 0x30000}), models({0x900000, 0x4000, 0x70000}));
}

TEST(AddressMap, HostMemoryKeepsItsPlaceWithinTheWidestAccess) {
  AddressMap map;
  ASSERT_TRUE(map.add_if_disjoint({Allocation::Kind::host, 0x10008, 100, ""}));
  EXPECT_EQ(map.holder(0x10010, 4).value().model % 16, 8u);
  EXPECT_FALSE(map.add_if_disjoint({Allocation::Kind::host, 0x10010, 4, ""}));
}

TEST(AddressMap, ItsVersionChangesWithItsAllocations) {
  AddressMap map;
  const std::uint64_t empty = map.version();
  map.add({Allocation::Kind::memory, 0x1000, 16, ""});
  const std::uint64_t one = map.version();
  EXPECT_NE(one, empty);
  EXPECT_TRUE(map.holder(0x1000, 4).has_value());
  EXPECT_EQ(map.version(), one);
  map.remove(0x1000);
  EXPECT_NE(map.version(), one);
}

}  // namespace
}  // namespace heddle::device::machine
