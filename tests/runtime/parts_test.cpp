// The host and parts of arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;

class PartsTest : public RuntimeTest {};

TEST_F(PartsTest, OnlyWhatIsReadComesFromTheDevice) {
  start({"far"});
  Array<float> data = floats({1, 2, 3, 4, 5});
  launch("add_to", {}, 5, 1.0f, data);
  EXPECT_THAT(data.read(2, 2), ElementsAre(4, 5));
  EXPECT_EQ(logged("far: copy 20"), 1);  // in
  EXPECT_EQ(logged("far: copy 8"), 1);
  EXPECT_THAT(data.read(1, 2), ElementsAre(3, 4));  // half of it is there
  EXPECT_EQ(logged("far: copy 4"), 1);
  EXPECT_THAT(data.read(), ElementsAre(2, 3, 4, 5, 6));  // the rest, in two pieces
  EXPECT_EQ(logged("far: copy 4"), 3);
}

TEST_F(PartsTest, OnlyWhatIsWrittenGoesToTheDevice) {
  start({"far"});
  Array<float> data = floats({1, 2, 3, 4, 5});
  launch("add_to", {}, 5, 1.0f, data);
  data.write(1, 1)[0] = 50;
  launch("add_to", {}, 5, 1.0f, data);
  EXPECT_THAT(data.read(), ElementsAre(3, 51, 5, 6, 7));
  EXPECT_EQ(logged("far: copy 4"), 2);  // out and in
}

TEST_F(PartsTest, OtherPartsAreNotWaitedFor) {
  start({"near"});
  Array<float> data = floats({1, 2, 3, 4});
  const Launch first = launch("add_to", {}, 2, 10.0f, data.slice(0, 2));
  const Launch second = launch("add_to", {}, 2, 20.0f, data.slice(2, 2));
  EXPECT_THAT(data.read(2, 1), ElementsAre(23));
  EXPECT_FALSE(first.done());
  EXPECT_TRUE(second.done());
  data.write(3, 1)[0] = 7;
  EXPECT_FALSE(first.done());
  EXPECT_EQ(data[3], 7);
  EXPECT_THAT(data.read(), ElementsAre(11, 12, 23, 7));
  EXPECT_TRUE(first.done());
}

// Two devices, each with half of the blocks of one launch: a byte goes where it is needed once, and only what a device
// has written comes back from it.
TEST_F(PartsTest, HalvesOfALaunchMoveTheirHalves) {
  start({"far", "far2"});
  Array<float> x = floats({1, 2, 3, 4, 5, 6, 7, 8}), y = floats({1, 1, 1, 1, 1, 1, 1, 1});
  const auto half = [&](const char* device, std::uint64_t begin) {
    launch("saxpy", {.grid = {4}, .block = {2}, .blocks = BlockRange{begin, begin + 2}, .device = device}, 8, 2.0f, x,
           y);
  };
  for (int turn = 0; turn < 3; ++turn) {
    half("far", 0);
    half("far2", 2);
  }
  core_->synchronize();
  EXPECT_EQ(logged("far: copy 16"), 2);
  EXPECT_EQ(logged("far2: copy 16"), 2);
  EXPECT_THAT(y.read(), ElementsAre(7, 13, 19, 25, 31, 37, 43, 49));
  EXPECT_EQ(logged("far: copy 16"), 3);
  EXPECT_EQ(logged("far2: copy 16"), 3);
  EXPECT_EQ(std::count_if(log_.begin(), log_.end(), [](const auto& line) { return line.find("copy") != line.npos; }),
            6);
}

// The middle half goes to another device: of what each side has, a quarter moves.
TEST_F(PartsTest, ABorderThatMovesTakesTheBytesBetween) {
  start({"far", "far2"});
  Array<float> x = floats({1, 2, 3, 4, 5, 6, 7, 8}), y = floats({0, 0, 0, 0, 0, 0, 0, 0});
  const auto part = [&](const char* device, std::uint64_t begin, std::uint64_t end) {
    launch("saxpy", {.grid = {4}, .block = {2}, .blocks = BlockRange{begin, end}, .device = device}, 8, 1.0f, x, y);
  };
  part("far", 0, 2);
  part("far2", 2, 4);
  core_->synchronize();
  log_.clear();
  part("far", 0, 1);
  part("far2", 1, 4);
  EXPECT_THAT(y.read(), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
  EXPECT_EQ(logged("far: copy 8") + logged("far2: copy 8"), 3);  // x from the host, y from far, y of far read
  EXPECT_EQ(logged("far2: copy 24"), 1);                         // y of far2 read
}

TEST_F(PartsTest, ReadersAreWaitedForByWhoWritesTheirPart) {
  start({"near"});
  Array<float> from = floats({1, 2, 3}), to = floats({0, 0});
  const Launch copying = launch("copy_first", {}, 2, from.slice(0, 2), to);
  from.write(2, 1)[0] = 30;
  EXPECT_FALSE(copying.done());
  EXPECT_THAT(from.read(0, 1), ElementsAre(1));
  EXPECT_FALSE(copying.done());
  from.write(1, 1)[0] = 20;
  EXPECT_TRUE(copying.done());
  EXPECT_THAT(to.read(), ElementsAre(1, 2));
}

// What the host may touch without asking does not outlive a change elsewhere.
TEST_F(PartsTest, WholeArraysStayCurrentAfterPartsWereWritten) {
  start({"far", "near"});
  Array<float> data = floats({1, 2, 3, 4});
  EXPECT_THAT(data.read(), ElementsAre(1, 2, 3, 4));
  for (const char* device : {"far", "near", "far"}) {
    launch("add_to", {.device = device}, 4, 1.0f, data);
    const float was = data[1];
    data.write(1, 1)[0] = was + 100;
    EXPECT_EQ(data[1], was + 100) << device;
  }
  EXPECT_THAT(data.read(), ElementsAre(4, 305, 6, 7));
}

// A device that has a part of an array is somebody else who has it.
TEST_F(PartsTest, WholeArraysThatAreWrittenAreStaleElsewhereInParts) {
  start({"far"});
  Array<float> data = floats({1, 2, 3, 4}), out = array<float>(4);
  launch("copy_first", {}, 1, data.slice(1, 1), out);  // the device has a copy of the second
  static_cast<void>(data.read());
  data.write()[1] = 20;
  launch("copy_first", {}, 4, data, out);
  EXPECT_THAT(out.read(), ElementsAre(1, 20, 3, 4));
}

TEST_F(PartsTest, ElementsBringTheirNeighbours) {
  start({"far"});
  constexpr std::size_t n = 40'000;
  Array<float> data = array<float>(n);
  std::iota(data.write().begin(), data.write().end(), 0.0f);
  launch("add_to", {}, static_cast<int>(n), 1.0f, data);
  float sum = 0;
  for (std::size_t i = 0; i < 100; ++i) sum += data[i];
  EXPECT_EQ(sum, 5050);
  EXPECT_EQ(logged("far: copy 65536"), 1);
  EXPECT_EQ(data[n - 1], 40'000);
  EXPECT_EQ(logged("far: copy " + std::to_string(n * 4 - 2 * 65536)), 1);
  // Not where somebody writes them.
  const Launch adding = launch("add_to", {}, 10, 1.0f, data.slice(20'000, 10));
  EXPECT_EQ(data[20'100], 20'101);
  EXPECT_FALSE(adding.done());
  EXPECT_EQ(logged("far: copy 4"), 1);
}

TEST_F(PartsTest, WhatIsNoPartIsRefused) {
  start({"near"});
  Array<float> data = floats({1, 2, 3});
  const auto refused = [](const auto& f, const char* text) {
    try {
      f();
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_STREQ(error.what(), text);
    }
  };
  refused([&] { data.read(2, 2); }, "2 values from 2 on are no part of an array of 3");
  refused([&] { data.write(4, 0); }, "0 values from 4 on are no part of an array of 3");
  refused([&] { data.read(1, ~std::size_t{0}); }, "18446744073709551615 values from 1 on are no part of an array of 3");
  refused([&] { static_cast<void>(data[3]); }, "1 values from 3 on are no part of an array of 3");
  EXPECT_TRUE(data.read(3, 0).empty());
}

}  // namespace
}  // namespace heddle::tests
