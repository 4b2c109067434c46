// Pointers that belong to no array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OpaqueTest : public RuntimeTest {};

TEST_F(OpaqueTest, AddressesAreRefusedUnlessTheyAreSaidToBeSo) {
  start({"near"});
  float value = 1;
  EXPECT_THAT(message_of([&] { launch("add_to", {}, 1, 1.0f, reinterpret_cast<std::uint64_t>(&value)); }),
              testing::AllOf(HasSubstr("argument 3 of kernel add_to, parameter data"), HasSubstr("heddle::opaque")));
  launch("add_to", {}, 1, 1.0f, opaque(&value)).wait();
  EXPECT_EQ(value, 2);
  EXPECT_THAT(message_of([&] { launch("add_to", {}, opaque(&value), 1.0f, nullptr); }),
              HasSubstr("was given an opaque pointer"));
  EXPECT_THAT(message_of([&] { launch("add_to", {}, 1, 1.0f, in(opaque(&value))); }),
              HasSubstr("was given an opaque pointer that is said to be 'in'"));
}

TEST_F(OpaqueTest, AreBehindEverythingAndEverythingIsBehindThem) {
  start({"near", "near2"});
  float value = 1;
  Array<float> a = floats({1}), b = floats({2}), c = floats({3}), d = floats({4});
  const Launch first = launch("add_to", {}, 1, 1.0f, a), second = launch("add_to", {}, 1, 1.0f, b);
  const Launch other = launch("add_to", {.device = "near2"}, 1, 1.0f, c);
  const Launch barrier = launch("add_to", {}, 1, 1.0f, opaque(&value));
  EXPECT_FALSE(first.done() || second.done() || other.done());
  barrier.wait();
  EXPECT_TRUE(first.done() && second.done() && other.done());
  const Launch again = launch("add_to", {}, 1, 1.0f, opaque(&value));
  const Launch behind = launch("add_to", {}, 1, 1.0f, a), there = launch("add_to", {.device = "near2"}, 1, 1.0f, d);
  const Launch further = launch("add_to", {.device = "near2"}, 1, 1.0f, d);
  EXPECT_FALSE(again.done());
  further.wait();
  EXPECT_TRUE(there.done() && again.done());
  EXPECT_FALSE(behind.done());
  EXPECT_EQ(value, 3);
  EXPECT_THAT(d.read(), ElementsAre(6));
}

TEST_F(OpaqueTest, AreNeverReplayed) {
  start({"near"});
  float value = 0;
  Array<float> data = floats({0});
  for (int i = 0; i < 200; ++i) {
    launch("add_to", {}, 1, 1.0f, data);
    launch("add_to", {}, 1, 1.0f, opaque(&value));
  }
  core_->synchronize();
  EXPECT_EQ(core_->replayer().graphs(), 0u);
  EXPECT_EQ(value, 200);
  EXPECT_THAT(data.read(), ElementsAre(200));
}

TEST_F(OpaqueTest, FailuresBeforeThemAreTold) {
  start({"near"});
  float value = 0;
  Array<float> data = floats({0});
  launch("fails_with", {}, data);
  const Launch behind = launch("add_to", {}, 1, 1.0f, opaque(&value));
  EXPECT_THROW(behind.wait(), Error);
  const Launch free = launch("add_to", {}, 1, 1.0f, data);
  EXPECT_NO_THROW(free.wait());
}

// What address() gives may be passed as it always could: in a structure, or as opaque().
TEST_F(OpaqueTest, AddressesOfArraysKeepWorking) {
  start({"near"});
  Array<float> data = floats({1});
  launch("add_to", {}, 1, 1.0f, opaque(data.address()));
  EXPECT_THAT(data.read(), ElementsAre(2));
}

}  // namespace
}  // namespace heddle::tests
