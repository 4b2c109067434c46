// Files that a timeline may replace.
#include "base/timeline_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

constexpr std::string_view event = "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"cpu\"}}";

TEST(TimelineFile, IsOneAlsoWhereItWasCutOff) {
  EXPECT_TRUE(is_timeline("[\n]\n"));
  for (std::size_t length = 0; length <= event.size(); ++length) EXPECT_TRUE(is_timeline(event.substr(0, length)));
}

TEST(TimelineFile, OthersAreNone) {
  for (const char* text :
       {"my notes", "[]", "[\"old\"]", "[\n{\"name\":\"x\"}]", "{\"traceEvents\":[]}", "<svg></svg>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"9\">\n", "digraph g {}\n"})
    EXPECT_FALSE(is_timeline(text)) << text;
}

TEST(TimelineFile, OthersAreNotReplaced) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "x";
  EXPECT_NO_THROW(refuse_to_replace_by_timeline("--trace", file));
  write_file_atomic(file, event);
  EXPECT_NO_THROW(refuse_to_replace_by_timeline("--trace", file));
  write_file_atomic(file, std::string_view("my notes"));
  EXPECT_THROW(refuse_to_replace_by_timeline("--trace", file), Error);
  EXPECT_NO_THROW(refuse_to_replace_by_timeline("--trace", "/dev/null"));
}

}  // namespace
}  // namespace heddle::base
