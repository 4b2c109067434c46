// Surveys in several parts: rows in files, and the table that is made of them.
#include "compat/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compat/report.hpp"
#include "heddle/error.hpp"

namespace heddle::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CompatRows : public testing::Test {
 protected:
  CompatRows() : list_(parse_program_list("add: add\nsub: sub\nmul: mul\ntex: left out: textures\ndiv: div", "/p")) {}

  std::string line(std::size_t program, std::vector<Judgement> judgements) const {
    return row_line({&list_.programs[program], std::move(judgements)}, ways_) + "\n";
  }
  std::string refusal(const std::string& text) const {
    const std::pair<std::string, std::string> file{"rows", text};
    try {
      merge_rows(list_, {&file, 1});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return error.what();
    }
    return "none";
  }
  std::vector<std::string> part(const std::string& text) const {
    ProgramList list = list_;
    keep_part(list, text);
    std::vector<std::string> names;
    for (const Program& program : list.programs) names.push_back(program.name);
    return names;
  }

  const ProgramList list_;
  const std::vector<Way> ways_{{"bare", {}}, {"heddle run", {"heddle", "run", "--"}}};
  const Judgement one_{Verdict::passed, "", 1}, two_{Verdict::passed, "", 2};
};

TEST_F(CompatRows, PartsMakeTheWholeTable) {
  const Judgement refused{Verdict::refused, "heddle error: \"no\" a|b\xff\n\t", 0};
  const Report whole{list_,
                     ways_,
                     {{&list_.programs[0], {one_, two_}},
                      {&list_.programs[1], {one_, {Verdict::timed_out, "ended after 3 s", 0}}},
                      {&list_.programs[3], {}}}};
  const std::vector<std::pair<std::string, std::string>> files = {
      {"one", line(3, {}) + line(0, {one_, refused})},
      {"two", line(1, {one_, {Verdict::timed_out, "ended after 3 s", 0}}) + "\n" + line(0, {one_, two_})}};
  const Merged merged = merge_rows(list_, files);
  EXPECT_THAT(merged.missing, ElementsAre("mul", "div"));
  EXPECT_EQ(markdown({list_, merged.ways, merged.rows}, "cpu"), markdown(whole, "cpu"));
  // Whatever a program has written, a row is one line.
  const std::string row = line(0, {one_, refused});
  EXPECT_EQ(row.find('\n'), row.size() - 1);
  const std::vector<std::pair<std::string, std::string>> odd = {{"odd", row}};
  EXPECT_EQ(merge_rows(list_, odd).rows.at(0).judgements.at(1).verdict, Verdict::refused);
  EXPECT_THAT(merge_rows(list_, odd).rows.at(0).judgements.at(1).reason, HasSubstr("\"no\" a|b"));
}

TEST_F(CompatRows, WhatIsNoRowIsToldWithItsPlace) {
  EXPECT_THAT(refusal(line(0, {one_, two_}) + "add: passed\n"), HasSubstr("rows:2: this is no row"));
  EXPECT_THAT(refusal(R"({"program": "add"})"), HasSubstr("rows:1: this is no row"));
  EXPECT_THAT(refusal(R"({"program": "pow", "results": []})"), HasSubstr("no program pow"));
  EXPECT_THAT(
      refusal(R"({"program": "add", "results": [{"way": "bare", "verdict": "good", "reason": "", "seconds": 1}]})"),
      HasSubstr("no verdict"));
  EXPECT_THAT(refusal(line(0, {one_, two_}) + line(1, {one_})), HasSubstr("rows:2: sub was run in other ways"));
}

TEST_F(CompatRows, PartsTakeTurns) {
  EXPECT_THAT(part("1/1"), ElementsAre("add", "sub", "mul", "tex", "div"));
  EXPECT_THAT(part("1/2"), ElementsAre("add", "mul", "div"));
  EXPECT_THAT(part("2/2"), ElementsAre("sub", "tex"));
  EXPECT_THAT(part("6/7"), ElementsAre());
  for (const char* wrong : {"", "1", "0/2", "3/2", "1/", "/2", "1/2x", "x/2", "-1/2", "1:2"})
    EXPECT_THROW(part(wrong), Error) << wrong;
}

}  // namespace
}  // namespace heddle::bench
