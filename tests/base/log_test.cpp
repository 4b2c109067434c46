#include "base/log.hpp"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>

namespace heddle::base {
namespace {

spdlog::level::level_enum level_for(const char* text) {
  spdlog::drop("heddle");
  ::setenv("HEDDLE_LOG", text, 1);
  const auto level = logger()->level();
  spdlog::drop("heddle");
  ::unsetenv("HEDDLE_LOG");
  return level;
}

TEST(Log, LevelComesFromTheEnvironment) {
  EXPECT_EQ(level_for("trace"), spdlog::level::trace);
  EXPECT_EQ(level_for("debug"), spdlog::level::debug);
  EXPECT_EQ(level_for("info"), spdlog::level::info);
  EXPECT_EQ(level_for("warn"), spdlog::level::warn);
  EXPECT_EQ(level_for("error"), spdlog::level::err);
  EXPECT_EQ(level_for("off"), spdlog::level::off);
  EXPECT_EQ(level_for("nonsense"), spdlog::level::warn);
  EXPECT_EQ(level_for(""), spdlog::level::warn);
}

TEST(Log, WhatIsNoLevelIsSaid) {
  testing::internal::CaptureStderr();
  level_for("nonsense");
  level_for("warning");
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_NE(written.find("HEDDLE_LOG=nonsense: expected trace, debug"), std::string::npos) << written;
  EXPECT_EQ(written.find("HEDDLE_LOG=warning"), std::string::npos) << written;
}

TEST(Log, OneLoggerForAll) {
  EXPECT_EQ(logger(), logger());
  testing::internal::CaptureStderr();
  log_warn("{} of {}", 1, 2);
  log_debug("unseen");
  logger()->flush();
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_NE(written.find("heddle warning: 1 of 2"), std::string::npos) << written;
  EXPECT_EQ(written.find("unseen"), std::string::npos);
}

TEST(Log, SomeThingsAreSaidOnce) {
  testing::internal::CaptureStderr();
  log_warn_once("a {} folder");
  log_warn_once("another folder");
  log_warn_once("a {} folder");
  logger()->flush();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "heddle warning: a {} folder\nheddle warning: another folder\n");
}

}  // namespace
}  // namespace heddle::base
