// The table of compatibility and its figures.
#include "compat/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace heddle::bench {
namespace {

class CompatReport : public testing::Test {
 protected:
  CompatReport()
      : list_(parse_program_list("title: Samples\nat least: 60\n*:\n  group: first\nadd: add -n 4\nsub: sub\n"
                                 "*:\n  group: second\nmul: mul\ntex: left out: textures | arrays",
                                 "/p")),
        report_{list_, {{"bare", {}}, {"heddle run", {"heddle", "run", "--"}}}, {}} {
    const Judgement one{Verdict::passed, "", 1}, two{Verdict::passed, "", 2}, eight{Verdict::passed, "", 8};
    report_.rows = {{&list_.programs[0], {one, two}},
                    {&list_.programs[1], {one, {Verdict::refused, "heddle error: no a|b", 0}}},
                    {&list_.programs[2], {one, eight}},
                    {&list_.programs[3], {}}};
  }

  ProgramList list_;
  Report report_;
};

TEST_F(CompatReport, CountsWhatWasRun) {
  EXPECT_EQ(count(report_, 0).passed, 3u);
  EXPECT_EQ(count(report_, 1).passed, 2u);
  EXPECT_EQ(count(report_, 1).counted, 3u);
  EXPECT_NEAR(count(report_, 1).percent(), 66.67, 0.01);
}

TEST_F(CompatReport, HasEveryProgramOnce) {
  const std::string text = markdown(report_, "cpu");
  EXPECT_THAT(text, testing::StartsWith("# Samples\n"));
  EXPECT_THAT(text, testing::HasSubstr("heddle run: **2 of 3** passed (66.7 %); 4.00 times the time of bare runs"));
  EXPECT_THAT(text, testing::HasSubstr("- left out: 1\n"));
  EXPECT_THAT(text, testing::HasSubstr("device: cpu"));
  EXPECT_THAT(text, testing::HasSubstr("## first"));
  EXPECT_THAT(text, testing::HasSubstr("## second"));
  EXPECT_THAT(text, testing::ContainsRegex("add +\\| -n 4 +\\| passed, 1.00 s \\| passed, 2.00 s"));
  EXPECT_THAT(text, testing::HasSubstr("**refused**: heddle error: no a\\|b"));
  EXPECT_THAT(text, testing::HasSubstr("left out: textures \\| arrays"));
  EXPECT_THAT(text, testing::HasSubstr("## Not passed: heddle run\n\n- sub: "));
}

TEST_F(CompatReport, HasFiguresWithTheListsBar) {
  Results results("compat-test");
  add_results(report_, results);
  const auto rows = nlohmann::json::parse(results.json());
  const auto find = [&](const std::string& name) {
    for (const auto& row : rows)
      if (row["name"] == name) return row;
    return nlohmann::json();
  };
  const auto all = find("heddle run: programs that passed");
  EXPECT_NEAR(all["value"].get<double>(), 66.67, 0.01);
  EXPECT_EQ(all["bar"], ">= 60");
  EXPECT_EQ(all["holds"], true);
  EXPECT_TRUE(find("bare: programs that passed")["bar"].is_null());
  EXPECT_EQ(find("sub: heddle run")["holds"], false);
  EXPECT_EQ(find("add: heddle run, time")["value"], 2);
  EXPECT_EQ(find("add: heddle run, time")["peer"], "bare");
  EXPECT_TRUE(find("sub: heddle run, time").is_null());
  EXPECT_TRUE(find("tex: heddle run").is_null());
}

}  // namespace
}  // namespace heddle::bench
