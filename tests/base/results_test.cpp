#include "support/results.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::bench {
namespace {

Results sample() {
  Results results("sample");
  results.add({"fast enough", 1.5, "x", at_least(1.3), "PoCL 3.1"});
  results.add({"too slow", 3, "us", at_most(2), ""});
  results.add({"for information", 7, "MB/s", {}, ""});
  return results;
}

TEST(Results, BarsHoldOrNot) {
  EXPECT_TRUE(at_least(1.3).holds(1.3));
  EXPECT_FALSE(at_least(1.3).holds(1.29));
  EXPECT_TRUE(at_most(2).holds(2));
  EXPECT_FALSE(at_most(2).holds(2.01));
  EXPECT_EQ(at_least(1.3).text(), ">= 1.3");
  EXPECT_FALSE(sample().hold());
}

TEST(Results, TableSaysWhatFallsShort) {
  const std::string table = sample().table();
  EXPECT_NE(table.find("too slow             3  us    <= 2    NO"), std::string::npos) << table;
  EXPECT_NE(table.find("PoCL 3.1"), std::string::npos);
}

TEST(Results, FileHasTheFieldsOfEveryFigure) {
  tests::TemporaryFolder folder;
  ::setenv("HEDDLE_RESULTS", folder.path().c_str(), 1);
  ::setenv("HEDDLE_COMMIT", "abc123", 1);
  const auto file = sample().write();
  EXPECT_EQ(file, folder.path() / "sample.json");
  const auto list = nlohmann::json::parse(base::read_file(file));
  ASSERT_EQ(list.size(), 3u);
  for (const auto& row : list) {
    for (const char* key : {"name", "value", "unit", "bar", "holds", "peer", "machine", "commit"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_EQ(row["commit"], "abc123");
  }
  EXPECT_EQ(list[0]["holds"], true);
  EXPECT_EQ(list[0]["peer"], "PoCL 3.1");
  EXPECT_EQ(list[1]["holds"], false);
  EXPECT_TRUE(list[2]["bar"].is_null());
  ::unsetenv("HEDDLE_RESULTS");
  ::unsetenv("HEDDLE_COMMIT");
}

TEST(Results, ProgramsAddTheirRowsToOneFile) {
  tests::TemporaryFolder folder;
  ::setenv("HEDDLE_RESULTS", folder.path().c_str(), 1);
  base::write_file_atomic(folder.path() / "sample.json", std::string_view("half a li"));
  sample().write();  // what cannot be read gives way
  Results other("sample");
  other.add({"too slow", 1, "us", at_most(2), ""});
  other.add({"of another program", 5, "ms", {}, ""});
  const auto list = nlohmann::json::parse(base::read_file(other.write()));
  ::unsetenv("HEDDLE_RESULTS");
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0]["name"], "fast enough");
  EXPECT_EQ(list[1]["name"], "for information");
  EXPECT_EQ(list[2]["name"], "too slow");
  EXPECT_EQ(list[2]["value"], 1);
  EXPECT_EQ(list[3]["name"], "of another program");
}

TEST(Statistics, MedianAndGeometricMean) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  const double values[] = {1, 4, 16};
  EXPECT_NEAR(geometric_mean(values), 4, 1e-12);
}

TEST(Statistics, PairsAlternateAndWarmUp) {
  std::string order;
  run_paired([&] { order += 'a'; }, [&] { order += 'b'; }, 2, 1);
  EXPECT_EQ(order, "ababba");
}

}  // namespace
}  // namespace heddle::bench
