// The ranges in flight in the order of their submission, whatever the order of their ends.
#include "sched/range_log.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heddle::sched {
namespace {

class RangeLogTest : public testing::Test {
 protected:
  RangeLogTest() { log.add_queue(queue); }
  void add() {
    RangeView view;
    view.task = ++made;
    view.queue = queue;
    view.submitted_ns = made;
    entries.push_back(log.add(view, {static_cast<unsigned>(made)}));
  }
  void end(std::size_t index) {
    const std::uint64_t task = entries[index]->view.task;
    EXPECT_EQ(log.ended(*entries[index], ++now_ns).range.task, task);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
    ended.push_back(task);
  }
  void expect_what_is_in_flight() {
    View view;
    log.show(view);
    ASSERT_EQ(view.in_flight.size(), entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      ASSERT_EQ(view.in_flight[i].task, entries[i]->view.task);
      ASSERT_EQ(view.in_flight[i].processors, &entries[i]->processors);
      ASSERT_EQ(view.in_flight[i].processors->front(), view.in_flight[i].task);
    }
    ASSERT_EQ(view.completions.size(), ended.size());
    for (std::size_t i = 0; i < ended.size(); ++i) ASSERT_EQ(view.completions[i].range.task, ended[i]);
    log.shown();
    ended.clear();
  }

  static constexpr std::uint32_t queue = 7;
  RangeLog log;
  std::vector<RangeLog::Entry*> entries;
  std::vector<std::uint64_t> ended;
  std::uint64_t made = 0, now_ns = 1'000'000;
};

TEST_F(RangeLogTest, ShowsRangesInTheOrderOfTheirSubmission) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    // Long phases in which more is added than ends, and the other way round.
    const unsigned adds = round / 1000 % 2 == 0 ? 6 : 3;
    if (entries.empty() || random() % 9 < adds)
      add();
    else
      end(random() % 4 != 0 ? 0 : random() % entries.size());
    if (random() % 8 == 0) expect_what_is_in_flight();
  }
  while (!entries.empty()) end(entries.size() - 1);
  expect_what_is_in_flight();
}

// The view is not made again for each question: that would be quadratic in the ranges in flight.
TEST_F(RangeLogTest, ShowsTheSameMemoryWhereNothingHasChanged) {
  for (int i = 0; i < 1000; ++i) add();
  View first, second;
  log.show(first);
  log.show(second);
  EXPECT_EQ(first.in_flight.data(), second.in_flight.data());
  end(0);
  log.show(second);
  EXPECT_EQ(first.in_flight.data() + 1, second.in_flight.data());
}

}  // namespace
}  // namespace heddle::sched
