#include "trace/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "trace/trace_text.hpp"

namespace heddle::trace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Picture, HasRowsBoxesCurvesAxisAndLegend) {
  const std::string text =
      picture(timeline({copy(1, 0, 400, R"("task":1,"behind":[])"),
                        launch("blur<float>", 2, 400, 600, R"("task":2,"behind":[1],"failed":true)")}));
  EXPECT_EQ(count(text, "<svg"), 1u);
  EXPECT_EQ(count(text, "</svg>"), 1u);
  EXPECT_EQ(count(text, "<title>"), 2u);
  EXPECT_THAT(text, AllOf(HasSubstr(">queue 1<"), HasSubstr(">queue 2<"), HasSubstr("cpu: A &lt;fine&gt; device")));
  EXPECT_THAT(text, AllOf(HasSubstr(">blur&lt;float&gt;<"), HasSubstr(">4.00 KiB<"), HasSubstr(">copy to device<"),
                          HasSubstr(">kernel<"), HasSubstr(">comes behind<"), HasSubstr(", failed")));
  EXPECT_THAT(text, AllOf(HasSubstr("1 kernel, 1 copy or fill, 1.00 ms"), HasSubstr(">0.4 ms<"), HasSubstr(">1 ms<")));
  EXPECT_EQ(count(text, "<path d"), 2u);        // the curve, and in the legend
  EXPECT_THAT(text, Not(HasSubstr(">fill<")));  // there is none
}

// A box is as long as its command, and begins where it does.
TEST(Picture, IsToScale) {
  const std::string text = picture(timeline({launch("aaaa", 1, 0, 250), launch("bbbb", 2, 500, 500)}), {.width = 1140});
  EXPECT_THAT(text, AllOf(HasSubstr("x=\"120.00\" y=\"24.0\" width=\"250.00\""),
                          HasSubstr("x=\"620.00\" y=\"54.0\" width=\"500.00\"")));
}

TEST(Picture, OfALongRunStaysSmallAndSaysSo) {
  std::vector<std::string> events;
  for (int i = 0; i < 20'000; ++i)
    events.push_back(
        launch("k", i % 6, i * 10, 5,
               "\"task\":" + std::to_string(i + 1) + ",\"behind\":[" + (i > 0 ? std::to_string(i) : "") + "]"));
  const std::string text = picture(timeline(events), {.rows = 3, .curves = 100});
  EXPECT_LT(text.size(), 1'500'000u);
  EXPECT_THAT(text, AllOf(HasSubstr("3 queues more are left out"), HasSubstr("too short to be told apart"),
                          HasSubstr("the first 100 of ")));
  EXPECT_THAT(text, HasSubstr("x kernel<"));  // of a box of many
}

TEST(Picture, OfNothingIsOne) { EXPECT_THAT(picture(timeline({})), HasSubstr("</svg>")); }

TEST(Picture, OrderWithinAStreamIsNoCurve) {
  const std::string text = picture(timeline({launch("a", 1, 0, 10, R"("task":1,"behind":[],"order":"streams")"),
                                             launch("b", 1, 20, 10, R"("task":2,"behind":[1],"order":"streams")")}));
  EXPECT_EQ(count(text, "<path d"), 0u);
}

}  // namespace
}  // namespace heddle::trace
