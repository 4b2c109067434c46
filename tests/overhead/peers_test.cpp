// What the benchmark of launches takes from the programs of its peers, and says of the driver's calls.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "driver_calls.hpp"
#include "peer_results.hpp"
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

TEST_F(Peers, FiguresAreNamesAndNanoseconds) {
  const PeerFigures figures = read_peer_figures(file("figures", R"({"chain, host": 12.5, "fan, host": 7})"));
  EXPECT_EQ(figures, (PeerFigures{{"chain, host", 12.5}, {"fan, host", 7}}));
}

TEST_F(Peers, WhatIsNoFigureIsNamed) {
  EXPECT_NE(failure([&] { read_peer_figures(file("list", "[1, 2]")); }).find("list: a JSON object"), std::string::npos);
  EXPECT_NE(failure([&] { read_peer_figures(file("half", "{\"chain\": ")); }).find("half: a JSON object"),
            std::string::npos);
  EXPECT_NE(failure([&] { read_peer_figures(file("text", R"({"chain": "fast"})")); }).find("'chain' is no number"),
            std::string::npos);
}

TEST_F(Peers, AProgramsOutputIsKeptAndRead) {
  const auto kept = file("kept", "what an earlier and longer run has left here, which must be gone");
  EXPECT_EQ(run_peer(program("echo '{\"chain\": 3}'; echo chatter >&2"), kept), (PeerFigures{{"chain", 3}}));
  EXPECT_EQ(read_peer_figures(kept).size(), 1U);
}

TEST_F(Peers, AProgramThatFailsGivesNoFigures) {
  const auto kept = folder.path() / "kept";
  EXPECT_NE(failure([&] { run_peer(program("echo '{\"chain\": 3}'; exit 1"), kept); }).find("has failed"),
            std::string::npos);
  EXPECT_NE(failure([&] { run_peer(program("kill -9 $$"), kept); }).find("has failed"), std::string::npos);
  EXPECT_NE(failure([&] { run_peer(folder.path() / "none", kept); }).find("cannot be run"), std::string::npos);
}

TEST(DriverCalls, AreToldForEachLaunch) {
  EXPECT_EQ(text_of({{"cuLaunchKernel", 1000, 2'000'000}, {"cuEventRecord", 500, 50'000}, {"cuInit", 1, 9}}, 1000),
            "cuLaunchKernel 1.00 (2000 ns), cuEventRecord 0.50 (100 ns)");
  EXPECT_EQ(text_of({}, 1000), "");
}

}  // namespace
}  // namespace heddle::bench
