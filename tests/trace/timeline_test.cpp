#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "trace/trace_text.hpp"

namespace heddle::trace {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Timeline, HasCommandsByTheirBeginAndRowsByQueue) {
  const Timeline read = timeline({launch("late", 7, 1030, 5, R"("grid":"2 x 1 x 1","block":"32 x 1 x 1","shared":16)"),
                                  copy(3, 1000.5, 10.25, R"("failed":true)")});
  ASSERT_EQ(read.commands.size(), 2u);
  EXPECT_EQ(read.commands[0].way, base::TraceEvent::Way::to_device);
  EXPECT_EQ(read.commands[0].begin_ns, 0u);
  EXPECT_EQ(read.commands[0].end_ns, 10250u);
  EXPECT_EQ(read.commands[0].bytes, 4096u);
  EXPECT_TRUE(read.commands[0].failed);
  EXPECT_EQ(read.commands[1].begin_ns, 29500u);
  EXPECT_EQ(read.commands[1].grid, "2 x 1 x 1");
  EXPECT_EQ(read.commands[1].shared, 16u);
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.rows[read.commands[0].row].queue, "queue 3");
  EXPECT_EQ(read.rows[1].device, "cpu");
  EXPECT_EQ(read.rows[1].device_name, "A <fine> device");
  EXPECT_EQ(read.end_ns(), 34500u);
}

// The host had waited for the first two before it launched the third: `behind` does not have them.
TEST(Timeline, FindsDependencesByUses) {
  const Timeline read =
      timeline({launch("a", 1, 0, 1, R"("task":1,"uses":[["array 1","modifies",0,64,1]])"),
                launch("b", 2, 0, 1, R"("task":2,"uses":[["array 1","reads",0,32,1],["array 2","modifies",0,64,2]])"),
                launch("c", 1, 2, 1, R"("task":3,"uses":[["array 1","modifies",0,16,1],["array 2","reads",0,64,3]])"),
                launch("d", 1, 3, 1, R"("task":4,"uses":[["array 1","reads",32,64,1]])")});
  EXPECT_THAT(read.commands[1].depends, ElementsAre(1));
  EXPECT_THAT(read.commands[2].depends, ElementsAre(2));  // a is implied; array 2 is another copy of it
  EXPECT_THAT(read.commands[3].depends, ElementsAre(1));
  EXPECT_THAT(read.commands[2].behind, IsEmpty());
  EXPECT_THAT(arrays_between(read.commands[0], read.commands[1]), ElementsAre("array 1"));
  EXPECT_THAT(arrays_between(read.commands[1], read.commands[3]), IsEmpty());
}

TEST(Timeline, TakesTheOrderOfStreamsWhereThatIsAllThereIs) {
  const Timeline read = timeline({launch("a", 1, 0, 1, R"("task":1,"behind":[],"order":"streams")"),
                                  launch("b", 1, 1, 1, R"("task":2,"behind":[1],"order":"streams")")});
  EXPECT_THAT(read.commands[1].depends, ElementsAre(1));
  EXPECT_TRUE(read.commands[1].by_streams);
}

TEST(Timeline, CanBeCut) {
  const Timeline read = timeline({launch("a", 1, 0, 10), launch("b", 1, 20, 10), launch("c", 1, 40, 10)});
  EXPECT_EQ(part_of(read, 10'000, 40'000).commands.size(), 1u);
  EXPECT_EQ(part_of(read, 0, 41'000).commands.size(), 3u);
}

TEST(Timeline, OthersEventsAreLeftOutAndOtherTextRefused) {
  EXPECT_EQ(parse_timeline(R"({"traceEvents":[{"ph":"X","cat":"theirs"},{"ph":"i"}]})", "t").commands.size(), 0u);
  for (const char* text :
       {"", "3", "{}", "[3]", R"([{"ph":"X","cat":"launch"}])", "[{\"ph\":3}]",
        R"([{"ph":"X","cat":"copy","name":"c","pid":1,"tid":1,"ts":0,"dur":1,"args":{"uses":[[1]]}}])"}) {
    try {
      parse_timeline(text, "t.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::parse_error);
      EXPECT_THAT(error.what(), HasSubstr("t.json is no trace"));
      EXPECT_THAT(error.what(), Not(HasSubstr("json.exception")));
    }
  }
  try {
    parse_timeline("[\n  {bad", "t.json");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), EndsWith("it is no JSON at line 2, column 4"));
  }
}

}  // namespace
}  // namespace heddle::trace
