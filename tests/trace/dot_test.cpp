#include "trace/dot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/trace_text.hpp"

namespace heddle::trace {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(Dot, HasKernelsCopiesAndArrays) {
  const std::string text = dot(timeline(
      {copy(1, 0, 1, R"("task":1,"behind":[],"uses":[["array 1","reads",0,64,1],["array 1","modifies",0,64,2]])"),
       launch("blur \\\"x\\\"", 2, 2, 1,
              R"("task":2,"behind":[1],"waits":[1],"uses":[["array 1","reads",0,64,2],["array 2","modifies",0,64,3]])"),
       launch("last", 2, 3, 1, R"("task":3,"behind":[],"uses":[["array 2","reads",0,64,3]])")}));
  EXPECT_THAT(text, HasSubstr("v0 [label=\"copy to device, 4.00 KiB\", shape=ellipse"));
  EXPECT_THAT(text, HasSubstr("v1 [label=\"blur \\\"x\\\"\", shape=box"));
  EXPECT_THAT(text, HasSubstr("v0 -> v1 [label=\"array 1\" penwidth=2];"));
  EXPECT_THAT(text, HasSubstr("v1 -> v2 [label=\"array 2\" style=dotted];"));  // the host had waited
  EXPECT_THAT(text, Not(HasSubstr("v0 -> v2")));
}

TEST(Dot, NamesHaveNoCodesOfTerminals) {
  const std::string text = dot(timeline({launch("k\\u001b[31m\\u0000x", 1, 0, 1, R"("task":1,"behind":[])")}));
  EXPECT_THAT(text,
              AllOf(HasSubstr("k\\\\x1b[31m\\\\x00x"), Not(HasSubstr("\x1b")), Not(HasSubstr(std::string(1, '\0')))));
}

TEST(Dot, EdgesOfStreamsAreDashedAndQueuesHaveColours) {
  const std::string text = dot(
      timeline({launch("a", 1, 0, 1, R"("task":1,"behind":[],"order":"streams")"),
                launch("b", 2, 1, 1, R"("task":2,"behind":[1],"waits":[1],"order":"streams")"), launch("c", 1, 2, 1)}));
  EXPECT_THAT(text, HasSubstr("v0 -> v1 [penwidth=2 style=dashed];"));
  const auto colour_of = [&](const char* vertex) {
    const std::size_t at = text.find("fillcolor=", text.find(vertex));
    return text.substr(at, 19);
  };
  EXPECT_NE(colour_of("v0 ["), colour_of("v1 ["));
  EXPECT_EQ(colour_of("v0 ["), colour_of("v2 ["));
}

}  // namespace
}  // namespace heddle::trace
