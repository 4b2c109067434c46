// What the benchmark of launches asks the programs of its peers, and says of the driver's calls.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "driver_calls.hpp"
#include "peer.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::bench {
namespace {

struct Peers : testing::Test {
  std::filesystem::path file(const std::string& name, const std::string& text) {
    const auto path = folder.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  std::filesystem::path program(const std::string& script) {
    const auto path = file("program", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  template <class F>
  static std::string failure(F&& f) {
    try {
      f();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  tests::TemporaryFolder folder;
};

TEST_F(Peers, AProgramAnswersEachQuestion) {
  Peer peer(program("while read form shape; do echo \"$form.5 $shape.25\"; done"));
  for (unsigned turn = 0; turn < 3; ++turn) {
    const Took took = peer.run(turn, 2);
    EXPECT_EQ(took.host, turn + 0.5);
    EXPECT_EQ(took.completed, 2.25);
  }
}

TEST_F(Peers, AProgramEndsWithItsInput) {
  const auto ended = folder.path() / "ended";
  {
    Peer peer(program("while read line; do :; done; touch " + ended.string()));
  }
  EXPECT_TRUE(std::filesystem::exists(ended));
}

TEST_F(Peers, WhatIsNoAnswerIsNamed) {
  Peer words(program("echo fast and good; cat >/dev/null"));
  EXPECT_NE(failure([&] { words.run(0, 0); }).find("answered 'fast and good': two numbers"), std::string::npos);
  Peer three(program("echo 1 2 3; cat >/dev/null"));
  EXPECT_NE(failure([&] { three.run(0, 0); }).find("two numbers"), std::string::npos);
}

TEST_F(Peers, AProgramThatEndsGivesNoFigures) {
  Peer at_once(program("exit 1"));
  EXPECT_NE(failure([&] { at_once.run(0, 0); }).find("has ended before it answered"), std::string::npos);
  Peer killed(program("read line; kill -9 $$"));
  EXPECT_NE(failure([&] { killed.run(0, 0); }).find("has ended before it answered"), std::string::npos);
  EXPECT_NE(failure([&] { Peer none(folder.path() / "none"); }).find("cannot be run"), std::string::npos);
}

TEST(DriverCalls, AreToldForEachLaunch) {
  EXPECT_EQ(text_of({{"cuLaunchKernel", 1000, 2'000'000}, {"cuEventRecord", 500, 50'000}, {"cuInit", 1, 9}}, 1000),
            "cuLaunchKernel 1.00 (2000 ns), cuEventRecord 0.50 (100 ns)");
  EXPECT_EQ(text_of({}, 1000), "");
}

}  // namespace
}  // namespace heddle::bench
