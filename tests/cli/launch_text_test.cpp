#include "cli/launch_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cli/command.hpp"
#include "heddle/error.hpp"

namespace heddle::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
T value(const ArgumentText& argument) {
  T out{};
  EXPECT_EQ(argument.value.size(), sizeof out);
  std::memcpy(&out, argument.value.data(), std::min(sizeof out, argument.value.size()));
  return out;
}

TEST(LaunchText, Shapes) {
  EXPECT_EQ(parse_shape("4096", "--grid", largest_grid), (Dim3{4096, 1, 1}));
  EXPECT_EQ(parse_shape("64x32", "--grid", largest_grid), (Dim3{64, 32, 1}));
  EXPECT_EQ(parse_shape("8,4,2", "--grid", largest_grid), (Dim3{8, 4, 2}));
  for (const char* bad :
       {"", "0", "1x", "1x2x3x4", "-1", "a", "1 2", "4294967296", "1x0", "2147483648", "1x65536", "1x1x65536"}) {
    EXPECT_THROW(parse_shape(bad, "--grid", largest_grid), UsageError) << bad;
  }
  // However large the number is, it is one.
  for (const char* large : {"2147483648", "4294967296", "4294967297", "1x99999999999999999999999", "1x1x65536"}) {
    try {
      parse_shape(large, "--grid", largest_grid);
      FAIL() << large;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("that is too large; x is at most 2147483647")) << large;
    }
  }
  try {
    parse_shape("7y8", "--block", largest_block);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--block 7y8"));
  }
}

TEST(LaunchText, BlockRanges) {
  const Dim3 grid{20, 5};
  EXPECT_EQ(parse_blocks("0:100", grid), (BlockRange{0, 100}));
  EXPECT_EQ(parse_blocks("7:7", grid), (BlockRange{7, 7}));
  for (const char* bad : {"", "5", "5:", ":5", "5:4", "1:2:3", "a:b", "0:101", "101:101"})
    EXPECT_THROW(parse_blocks(bad, grid), UsageError) << bad;
}

TEST(LaunchText, Processors) {
  EXPECT_EQ(parse_processors("5"), (std::vector<unsigned>{5}));
  EXPECT_EQ(parse_processors("0-3"), (std::vector<unsigned>{0, 1, 2, 3}));
  EXPECT_EQ(parse_processors("0,1,6-7,40-40"), (std::vector<unsigned>{0, 1, 6, 7, 40}));
  for (const char* bad : {"", "-", "3-", "-3", "3-1", "1,1", "2,1", "1-4,3", "1-2-3", "x", "1,", "0-999999999"})
    EXPECT_THROW(parse_processors(bad), UsageError) << bad;
}

TEST(LaunchText, Integers) {
  EXPECT_EQ(value<std::int32_t>(parse_argument("i32:1048576")), 1048576);
  EXPECT_EQ(value<std::int32_t>(parse_argument("i32:-5")), -5);
  EXPECT_EQ(value<std::int8_t>(parse_argument("i8:-128")), -128);
  EXPECT_EQ(value<std::uint64_t>(parse_argument("u64:18446744073709551615")), ~0ull);
  EXPECT_EQ(value<std::int64_t>(parse_argument("i64:-9223372036854775808")), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value<std::int32_t>(parse_argument("i32:0xffffffff")), -1);
  EXPECT_EQ(value<std::uint16_t>(parse_argument("u16:0xabc")), 0xabc);
  EXPECT_EQ(parse_argument("u8:1").scalar_kind, Argument::Kind::integer);
  for (const char* bad : {"i8:128", "i8:-129", "u8:256", "u8:-1", "i32:", "i32:-", "i32:1.5", "i7:1", "i32",
                          "u64:18446744073709551616"}) {
    EXPECT_THROW(parse_argument(bad), UsageError) << bad;
  }
}

TEST(LaunchText, NumbersOfMoreThan64BitsAreTooLarge) {
  const std::pair<const char*, const char*> cases[] = {{"u64:18446744073709551616", "does not fit u64"},
                                                       {"i8:-99999999999999999999", "does not fit i8"},
                                                       {"zeros:f32:99999999999999999999", "that is too large"}};
  for (const auto& [text, why] : cases) {
    try {
      parse_argument(text);
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(why)) << text;
    }
  }
  EXPECT_THROW(parse_processors("0-99999999999999999999"), UsageError);
  EXPECT_THROW(parse_blocks("0:99999999999999999999", {20, 5}), UsageError);
}

TEST(LaunchText, RealsBytesAndNull) {
  EXPECT_EQ(value<float>(parse_argument("f32:2.5")), 2.5f);
  EXPECT_EQ(value<double>(parse_argument("f64:-1e300")), -1e300);
  EXPECT_EQ(parse_argument("f32:2").scalar_kind, Argument::Kind::floating);
  EXPECT_THAT(parse_argument("hex:00ff10").value, ElementsAre(std::byte{0}, std::byte{0xff}, std::byte{0x10}));
  EXPECT_EQ(parse_argument("null").kind, ArgumentText::Kind::null);
  for (const char* bad : {"f32:", "f32:x", "f32:1.5z", "hex:", "hex:1", "hex:zz", "f16:1"}) {
    EXPECT_THROW(parse_argument(bad), UsageError) << bad;
  }
}

TEST(LaunchText, RealsThatDoNotFitAreNoInfinities) {
  for (const char* bad : {"f32:1e39", "f32:-1e99", "f32:1e-99", "f64:1e999", "f64:-1e-999"}) {
    try {
      parse_argument(bad);
      ADD_FAILURE() << bad;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("is out of the range of f")) << bad;
    }
  }
  EXPECT_EQ(value<float>(parse_argument("f32:3.4e38")), 3.4e38f);
  EXPECT_EQ(value<float>(parse_argument("f32:1e-40")), 1e-40f);
  EXPECT_EQ(value<float>(parse_argument("f32:inf")), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(value<double>(parse_argument("f64:nan"))));
  // Rounded once, not to f64 first: just above the middle between two values of f32.
  EXPECT_EQ(value<float>(parse_argument("f32:1.00000005960464477540")), 1.0f + 1.1920929e-7f);
}

std::vector<std::filesystem::path> files_of(const std::vector<std::string>& texts, const char* folder = "") {
  std::vector<ArgumentText> arguments;
  arguments.reserve(texts.size());
  for (const std::string& text : texts) arguments.push_back(parse_argument(text));
  return result_files(texts, arguments, folder);
}

TEST(LaunchText, ResultsHaveFilesOfTheirOwn) {
  EXPECT_THAT(files_of({"i32:1", "in:a/x.npy", "inout:a/x.npy", "out:b/x.npy:f32:4", "zeros:f32:4", "null"}),
              ElementsAre("", "", "x.out.npy", "b/x.npy", "", ""));
  EXPECT_THAT(files_of({"inout:a/x.npy", "out:x.npy:f32:4"}, "o"), ElementsAre("o/x.out.npy", "o/x.npy"));
}

TEST(LaunchText, ResultsThatWouldReplaceOneAnotherAreRefused) {
  const std::vector<std::vector<std::string>> clashes = {{"inout:a/x.npy", "inout:b/x.npy"},
                                                         {"inout:x.npy", "out:x.out.npy:f32:4"},
                                                         {"out:z.npy:f32:4", "i32:1", "out:./z.npy:u8:4"},
                                                         {"out:a/../z.npy:f32:4", "out:z.npy:u8:4"}};
  for (const auto& texts : clashes) {
    for (const char* folder : {"", "results"}) {
      try {
        files_of(texts, folder);
        ADD_FAILURE() << texts.front();
      } catch (const heddle::Error& error) {  // exit code 1: what is refused is an output
        EXPECT_THAT(error.what(), AllOf(HasSubstr("--arg " + texts.front()), HasSubstr("--arg " + texts.back()),
                                        HasSubstr("one result would be lost"), HasSubstr("give each another name")));
      }
    }
  }
}

TEST(LaunchText, Arrays) {
  EXPECT_EQ(parse_argument("in:a/b.npy").file, "a/b.npy");
  EXPECT_EQ(parse_argument("inout:y.npy").kind, ArgumentText::Kind::inout);
  const ArgumentText out = parse_argument("out:c:d.npy:f64:1024x768");
  EXPECT_EQ(out.file, "c:d.npy");
  EXPECT_EQ(out.type, base::NpyType::f64);
  EXPECT_THAT(out.shape, ElementsAre(1024, 768));
  EXPECT_THAT(parse_argument("zeros:u8:100").shape, ElementsAre(100));
  for (const char* bad : {"in:", "out:z.npy", "out:z.npy:f32", "out::f32:4", "zeros:f32", "zeros:float:4",
                          "zeros:f32:x", "zeros:f32:99999999999999x99999999999999", "nothing", "file:x.npy"}) {
    EXPECT_THROW(parse_argument(bad), UsageError) << bad;
  }
}

}  // namespace
}  // namespace heddle::cli
