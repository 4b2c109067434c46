#include "base/variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <string>

#include "heddle/error.hpp"

namespace heddle::base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Sets a variable for as long as it exists.
class Set {
 public:
  Set(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Set() { ::unsetenv(name_); }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

 private:
  const char* name_;
};

template <typename Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Variables, TruthsTakeTheUsualWords) {
  for (const char* on : {"1", "true", "TRUE", "yes", "Yes", "on"}) {
    const Set set("HEDDLE_RUN_PROGRESS", on);
    EXPECT_EQ(truth_variable("HEDDLE_RUN_PROGRESS"), true) << on;
  }
  for (const char* off : {"0", "false", "No", "OFF"}) {
    const Set set("HEDDLE_RUN_PROGRESS", off);
    EXPECT_EQ(truth_variable("HEDDLE_RUN_PROGRESS"), false) << off;
  }
  for (const char* neither : {"2", "maybe", "1 ", "y", "-1"}) {
    const Set set("HEDDLE_RUN_PROGRESS", neither);
    EXPECT_THAT(refusal([] { truth_variable("HEDDLE_RUN_PROGRESS"); }),
                AllOf(HasSubstr("HEDDLE_RUN_PROGRESS=" + std::string(neither)), HasSubstr("true"), HasSubstr("off")));
  }
  const Set set("HEDDLE_RUN_PROGRESS", "");
  EXPECT_EQ(truth_variable("HEDDLE_RUN_PROGRESS"), std::nullopt);
  EXPECT_EQ(truth_variable("HEDDLE_DUMP_IR"), std::nullopt);
}

TEST(Variables, ChecksAreTruthsOrKinds) {
  for (const char* on : {"1", "True", "memory", "Memory"}) {
    const Set set("HEDDLE_RUN_CHECK", on);
    EXPECT_EQ(checks_variable("HEDDLE_RUN_CHECK"), Checks(true)) << on;
  }
  {
    const Set set("HEDDLE_RUN_CHECK", "off");
    EXPECT_EQ(checks_variable("HEDDLE_RUN_CHECK"), Checks(false));
  }
  {
    const Set set("HEDDLE_RUN_CHECK", "race,init");
    EXPECT_EQ(checks_variable("HEDDLE_RUN_CHECK"), Checks::parse("race,init"));
  }
  const Set set("HEDDLE_RUN_CHECK", "maybe");
  EXPECT_THAT(refusal([] { checks_variable("HEDDLE_RUN_CHECK"); }),
              AllOf(HasSubstr("HEDDLE_RUN_CHECK=maybe: expected 1, true"), HasSubstr("memory,race")));
}

TEST(Variables, NumbersHaveTheirRange) {
  {
    const Set set("HEDDLE_CPU_WORKERS", "7");
    EXPECT_EQ(number_variable("HEDDLE_CPU_WORKERS"), 7u);
  }
  for (const char* wrong : {"0", "1025", "-1", "x", "3x", " 3", "+3", "18446744073709551616"}) {
    const Set set("HEDDLE_CPU_WORKERS", wrong);
    EXPECT_THAT(refusal([] { number_variable("HEDDLE_CPU_WORKERS"); }), HasSubstr("expected a number from 1 to 1024."));
  }
  for (const std::string wrong : {"0", "2147483648"}) {
    const Set set("HEDDLE_RUN_SLICE", wrong.c_str());
    EXPECT_EQ(refusal([] { number_variable("HEDDLE_RUN_SLICE"); }),
              "HEDDLE_RUN_SLICE=" + wrong + ": expected a number from 1 to 2147483647.");
  }
}

TEST(Variables, WordsAndListsAreChecked) {
  {
    const Set set("HEDDLE_COMPILER", "NVRTC");
    EXPECT_EQ(text_variable("HEDDLE_COMPILER"), "nvrtc");
  }
  {
    const Set set("HEDDLE_COMPILER", "gcc");
    EXPECT_EQ(refusal([] { text_variable("HEDDLE_COMPILER"); }), "HEDDLE_COMPILER=gcc: expected clang or nvrtc.");
  }
  {
    const Set set("HEDDLE_CPU_FEATURES", "-avx512f,fma");
    EXPECT_THAT(refusal([] { text_variable("HEDDLE_CPU_FEATURES"); }), HasSubstr("a - before each"));
  }
  const Set set("HEDDLE_RUN_DEVICE", "cuda:0,gpu");
  EXPECT_THAT(refusal([] { text_variable("HEDDLE_RUN_DEVICE"); }),
              HasSubstr("'gpu' is no device; did you mean 'gpus'? Expected cpu, interp"));
  for (const char* good : {"cpu", "interp", "gpus", "cuda:0", "cuda:1,cpu"}) EXPECT_EQ(complaint_of_devices(good), "");
  for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cpu,", "cpu,gpus"})
    EXPECT_NE(complaint_of_devices(wrong), "");
  EXPECT_THAT(complaint_of_devices("cpu,gpus"), HasSubstr("'gpus' is no device; expected cpu"));
  EXPECT_THAT(complaint_of_devices("warp9"), HasSubstr("'warp9' is no device; expected cpu"));
}

TEST(Variables, TheTableIsSortedAndWhole) {
  const auto all = variables();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const Variable& variable : all) {
    EXPECT_FALSE(variable.meaning.empty() || variable.effect.empty()) << variable.name;
    const bool has_off = variable.kind == Variable::Kind::truth || variable.kind == Variable::Kind::checks;
    EXPECT_EQ(has_off, !variable.off.empty()) << variable.name;
    EXPECT_EQ(variable.kind == Variable::Kind::word, !variable.words.empty()) << variable.name;
    EXPECT_EQ(complaint(variable, ""), "") << variable.name;
  }
}

}  // namespace
}  // namespace heddle::base
