// What the heddle program leaves behind when it is ended while it compiles: nothing, or what the next run removes.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/ending_signals.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;

class Interrupt : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(at("tmp"));
    base::write_file_atomic(at("k.cu"), std::string_view("__global__ void k(int* p) { *p = 1; }\n"));
    // A compiler that waits while the file `hold` is there.
    base::write_file_atomic(
        at("clang.sh"),
        std::string_view("#!/bin/sh\necho $$ > '" + at("pid").string() + "'\ntouch '" + at("waits").string() +
                         "'\nwhile [ -f '" + at("hold").string() + "' ]; do sleep 0.05; done\nexec clang-19 \"$@\"\n"));
    fs::permissions(at("clang.sh"), fs::perms::owner_all);
  }
  fs::path at(const char* name) const { return folder_.path() / name; }

  // heddle compile in a process of its own, with its caches and temporary files in the test's folder. `accept`: no
  // signal is ignored.
  pid_t start(bool accept = true) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    if (accept) accept_ending_signals();
    ::setenv("TMPDIR", at("tmp").c_str(), 1);
    ::setenv("HEDDLE_CACHE_DIR", at("cache").c_str(), 1);
    ::setenv("HEDDLE_CLANG", at("clang.sh").c_str(), 1);
    ::execl(HEDDLE_PROGRAM, "heddle", "compile", at("k.cu").c_str(), "-o", at("k.ptx").c_str(), nullptr);
    ::_exit(127);
  }
  bool compiler_waits() const {
    return wait_until([&] { return fs::exists(at("waits")); });
  }
  static bool ignores(pid_t process, int signal) {
    const std::string status = base::read_file("/proc/" + std::to_string(process) + "/status");
    const std::size_t mask = status.find("SigIgn:");
    return mask != std::string::npos && (std::stoull(status.substr(mask + 7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  static int status_of(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }
  // Ends heddle with `signal` while its compiler runs.
  void end_with(int signal) const {
    base::write_file_atomic(at("hold"), std::string_view("x"));
    fs::remove(at("waits"));
    const pid_t child = start();
    ASSERT_TRUE(compiler_waits());
    EXPECT_FALSE(leftovers().empty()) << "the test must see something that could be left";
    ::kill(child, signal);
    const int status = status_of(child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
  }
  // Temporary folders and half precompiled headers.
  std::vector<std::string> leftovers() const {
    std::vector<std::string> found;
    for (const char* place : {"tmp", "cache"}) {
      if (!fs::exists(at(place))) continue;
      for (const auto& entry : fs::recursive_directory_iterator(at(place))) {
        const std::string name = entry.path().filename();
        if (name.starts_with("heddle-") || name.find(".pch.") != name.npos || name.find(".tmp") != name.npos) {
          found.push_back(entry.path());
        }
      }
    }
    return found;
  }
  void TearDown() override { fs::remove(at("hold")); }

  const TemporaryFolder folder_;
};

TEST_F(Interrupt, SignalsThatCanBeCaughtLeaveNothing) {
  for (const int signal : ending_signals) {
    end_with(signal);
    EXPECT_EQ(leftovers(), std::vector<std::string>()) << signal;
    const std::string compiler = base::read_file(at("pid"));
    EXPECT_TRUE(wait_until([&] { return !fs::exists("/proc/" + compiler.substr(0, compiler.find('\n'))); }))
        << "the compiler still runs";
  }
}

TEST_F(Interrupt, WhatAKilledRunLeavesTheNextOneRemoves) {
  end_with(SIGKILL);
  EXPECT_FALSE(leftovers().empty());
  fs::remove(at("hold"));
  EXPECT_EQ(status_of(start()), 0);
  EXPECT_EQ(leftovers(), std::vector<std::string>());
  EXPECT_TRUE(fs::exists(at("k.ptx")));
}

TEST_F(Interrupt, ARunThatGoesOnKeepsItsOwn) {
  base::write_file_atomic(at("hold"), std::string_view("x"));
  const pid_t first = start();
  ASSERT_TRUE(compiler_waits());
  fs::remove(at("waits"));
  const auto held = leftovers();
  const pid_t second = start();
  ASSERT_TRUE(compiler_waits());
  for (const std::string& path : held) EXPECT_TRUE(fs::exists(path)) << path;
  fs::remove(at("hold"));
  EXPECT_EQ(status_of(first), 0);
  EXPECT_EQ(status_of(second), 0);
  EXPECT_EQ(leftovers(), std::vector<std::string>());
}

TEST_F(Interrupt, IgnoredSignalsStayIgnored) {
  for (const int signal : {SIGHUP, SIGQUIT, SIGPIPE}) {
    fs::remove(at("waits"));
    // A source that the cache does not know.
    base::write_file_atomic(at("k.cu"), "__global__ void k(int* p) { *p = " + std::to_string(signal) + "; }\n");
    const pid_t parent = ::fork();
    if (parent == 0) {
      ::signal(signal, SIG_IGN);  // as nohup does
      base::write_file_atomic(at("hold"), std::string_view("x"));
      const pid_t child = start(false);
      if (!compiler_waits() || !ignores(child, signal)) ::_exit(2);
      ::kill(child, signal);
      fs::remove(at("hold"));
      ::_exit(status_of(child) == 0 ? 0 : 1);
    }
    EXPECT_EQ(status_of(parent), 0) << signal;
  }
}

}  // namespace
}  // namespace heddle::tests
