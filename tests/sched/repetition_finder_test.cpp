#include "sched/repetition_finder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle::sched {
namespace {

// The period found at each thing: '.' none, else the period as a letter, 1 being 'a'.
std::string found(RepetitionFinder& finder, const std::string& things) {
  std::string result;
  for (const char c : things) {
    const auto period = finder.add(static_cast<std::uint64_t>(c));
    result += period ? static_cast<char>('a' + *period - 1) : '.';
  }
  return result;
}
std::string times(int n, const std::string& s) {
  std::string result;
  for (int i = 0; i < n; ++i) result += s;
  return result;
}

TEST(RepetitionFinder, ARepetitionIsBelievedAfterAWhile) {
  RepetitionFinder finder;
  EXPECT_EQ(found(finder, times(3, "abc")), times(9, "."));
  EXPECT_EQ(found(finder, times(4, "abc")), times(9, ".") + "ccc");
  EXPECT_EQ(finder.ago(0), 'c');
  EXPECT_EQ(finder.ago(2), 'a');
}

TEST(RepetitionFinder, OneThingManyTimes) {
  RepetitionFinder finder;
  EXPECT_EQ(found(finder, times(20, "a")), times(16, ".") + "aaaa");
}

TEST(RepetitionFinder, SomethingElseEndsIt) {
  RepetitionFinder finder;
  found(finder, times(20, "ab"));
  EXPECT_EQ(found(finder, "x"), ".");
  EXPECT_EQ(found(finder, times(8, "ab")), times(16, "."));
  EXPECT_EQ(found(finder, times(2, "ab")), ".bbb");
}

// A loop in a loop: the outer one is found, although the inner one repeats itself.
TEST(RepetitionFinder, LoopsInLoops) {
  RepetitionFinder finder;
  const std::string outer = "x" + times(10, "a") + "y";
  EXPECT_EQ(found(finder, times(3, outer)), times(35, ".") + "l");
  EXPECT_EQ(found(finder, outer), times(12, "l"));
}

TEST(RepetitionFinder, LongRepetitions) {
  RepetitionFinder finder;
  std::optional<std::size_t> last;
  for (int round = 0; round < 4; ++round)
    for (std::uint64_t i = 1; i <= RepetitionFinder::longest; ++i) last = finder.add(i);
  EXPECT_EQ(last, RepetitionFinder::longest);
  for (int round = 0; round < 4; ++round)
    for (std::uint64_t i = 1; i <= RepetitionFinder::longest + 1; ++i) EXPECT_FALSE(finder.add(i + 5000));
}

TEST(RepetitionFinder, ForgetsOldThings) {
  RepetitionFinder finder;
  for (std::uint64_t i = 1; i < 100'000; ++i) EXPECT_FALSE(finder.add(i));
  found(finder, times(20, "ab"));
  finder.clear();
  EXPECT_EQ(found(finder, times(3, "ab")), times(6, "."));
}

}  // namespace
}  // namespace heddle::sched
