#include "base/table.hpp"

#include <gtest/gtest.h>

#include "heddle/error.hpp"

namespace heddle::base {
namespace {

Table sample() {
  Table table({{"kernel"}, {"time", Align::right}, {"note"}});
  table.add_row({"saxpy", "1.5 ms", "ok"});
  table.add_row({"größer", "12 ms"});
  return table;
}

TEST(Table, AlignsColumnsByCharacters) {
  EXPECT_EQ(sample().text(),
            "kernel    time  note\n"
            "------  ------  ----\n"
            "saxpy   1.5 ms  ok\n"
            "größer   12 ms\n");
}

TEST(Table, Markdown) {
  EXPECT_EQ(sample().markdown(),
            "| kernel | time | note |\n"
            "|---|---:|---|\n"
            "| saxpy | 1.5 ms | ok |\n"
            "| größer | 12 ms |  |\n");
}

TEST(Table, TooManyCellsAreRefused) {
  Table table({{"one"}});
  EXPECT_THROW(table.add_row({"a", "b"}), Error);
}

}  // namespace
}  // namespace heddle::base
