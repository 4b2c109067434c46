// Programs on NVIDIA's library as tenants of a node. The daemon runs in this process, a library stands in for NVIDIA's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "daemon/client.hpp"
#include "daemon/server.hpp"
#include "support/wait_until.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;

// A program that is a tenant; it is ended with this object.
class Program {
 public:
  Program(const std::string& socket, const std::string& tenant, const std::string& stand_in,
          const std::vector<std::string>& steps)
      : process_(::fork()) {
    if (process_ != 0) return;
    ::setenv("LD_LIBRARY_PATH", LIBRARIES, 1);
    ::setenv("HEDDLE_DAEMON", socket.c_str(), 1);
    ::setenv("HEDDLE_TENANT", tenant.c_str(), 1);
    ::setenv("STAND_IN", stand_in.c_str(), 1);
    std::vector<char*> words{const_cast<char*>(PROGRAM)};
    for (const std::string& step : steps) words.push_back(const_cast<char*>(step.c_str()));
    words.push_back(nullptr);
    ::execv(PROGRAM, words.data());
    ::_exit(127);
  }
  ~Program() {
    if (ended()) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool ended() {
    if (code_ < 0) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_) code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 256;
    }
    return code_ >= 0;
  }
  int code() const { return code_; }

 private:
  const pid_t process_;
  int code_ = -1;
};

class GateTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.create("gate");
    socket_ = (folder_.path() / "run" / "socket").string();
    server_ = std::make_unique<Server>(socket_, ServerOptions{.units = 8}, clock_);
  }
  std::unique_ptr<Client> client(const char* name, double quota, TenantClass kind) {
    auto made =
        std::make_unique<Client>(socket_, sched::TenantSettings{.name = name, .kind = kind, .quota = quota}, clock_);
    EXPECT_TRUE(until([&] {
      made->maintain();
      return made->grant().has_value();
    }));
    return made;
  }
  // The daemon goes on until something is so, or for so long.
  bool until(const std::function<bool()>& so, std::uint64_t ms = 30'000) {
    const std::uint64_t end = clock_.now_ns() + ms * 1'000'000;
    while (clock_.now_ns() < end) {
      server_->step(1);
      if (so()) return true;
    }
    return false;
  }
  Status status(const std::string& tenant) const {
    for (const auto& each : server_->status().tenants)
      if (each.settings.name == tenant) return each;
    return {};
  }
  std::uint64_t ranges(const std::string& tenant) const { return status(tenant).ranges; }

  base::SteadyClock clock_;
  base::TemporaryFolder folder_;
  std::string socket_;
  std::unique_ptr<Server> server_;
};

TEST_F(GateTest, ABatchProgramWaitsWhileTheLatencyTenantHasWork) {
  const auto search = client("search", 1, TenantClass::latency);
  search->set_awake(true);
  until([] { return false; }, 20);
  Program train(socket_, "batch:0:train", "", {"launch", "20"});
  EXPECT_FALSE(until([&] { return train.ended(); }, 500));
  search->set_awake(false);
  EXPECT_TRUE(until([&] { return train.ended(); }));
  EXPECT_EQ(train.code(), 0);
}

// A graph is one launch to the gate: it waits as a whole, and goes as a whole.
TEST_F(GateTest, AGraphIsAdmittedWhole) {
  const auto search = client("search", 1, TenantClass::latency);
  search->set_awake(true);
  until([] { return false; }, 20);
  Program train(socket_, "batch:0:train", "", {"graph", "20", "idle", "2000"});
  EXPECT_TRUE(until([&] { return status("train").held == 1; })) << "its thread waits with the first one";
  EXPECT_FALSE(until([&] { return status("train").ranges != 0; }, 300));
  search->set_awake(false);
  EXPECT_TRUE(until([&] { return status("train").ranges == 20; }));
}

TEST_F(GateTest, ItsLaunchesAreCounted) {
  Program train(socket_, "batch:0:train", "", {"launch", "20", "idle", "100", "launch", "5", "idle", "2000"});
  EXPECT_TRUE(until([&] { return ranges("train") == 25; }));
}

TEST_F(GateTest, ALatencyProgramHasTheDeviceWhileItsStreamsHaveWork) {
  const auto train = client("train", 0, TenantClass::batch);
  train->set_awake(true);
  const auto units = [&] {
    const auto grant = train->grant();
    return grant ? grant->units.count() : 99;
  };
  EXPECT_TRUE(until([&] { return units() == 8; }));
  Program search(socket_, "latency:1:search", "busy", {"launch", "3", "idle", "500", "sync", "idle", "2000"});
  EXPECT_TRUE(until([&] { return units() == 0; }));
  EXPECT_FALSE(until([&] { return units() != 0; }, 200));
  EXPECT_TRUE(until([&] { return units() == 8; }, 1900));
  EXPECT_FALSE(search.ended());
  EXPECT_EQ(ranges("search"), 3U);
}

// What is in flight may wait for the launch that is held, so it is not held for ever.
TEST_F(GateTest, NothingIsHeldForEverByWhatDoesNotEnd) {
  Program train(socket_, "batch:0:train", "endless", {"launch", "6"});
  const std::uint64_t begin_ns = clock_.now_ns();
  EXPECT_TRUE(until([&] { return train.ended(); }));
  EXPECT_EQ(train.code(), 0);
  EXPECT_GE(clock_.now_ns() - begin_ns, 5 * 20'000'000U);
}

TEST_F(GateTest, StreamsAreNotAskedWhileOneIsCaptured) {
  Program search(socket_, "latency:1:search", "busy", {"capture", "100"});
  EXPECT_TRUE(until([&] { return search.ended(); }));
  EXPECT_EQ(search.code(), 0);
}

TEST_F(GateTest, AProgramThatHasTheDeviceForItselfIsNotHeld) {
  server_.reset();
  Program train(socket_, "batch:0:train", "endless", {"launch", "1000"});
  EXPECT_TRUE(tests::wait_until([&] { return train.ended(); }));
  EXPECT_EQ(train.code(), 0);
}

TEST_F(GateTest, ADaemonThatEndsLetsEverybodyGo) {
  const auto search = client("search", 1, TenantClass::latency);
  search->set_awake(true);
  Program train(socket_, "batch:0:train", "", {"launch", "20"});
  EXPECT_FALSE(until([&] { return train.ended(); }, 300));
  server_.reset();
  EXPECT_TRUE(tests::wait_until([&] { return train.ended(); }));
  EXPECT_EQ(train.code(), 0);
}

// What the program prints.
std::string output_of(const std::string& limit, const std::string& steps) {
  const std::string command =
      "HEDDLE_MEMORY_LIMIT=" + limit + " STAND_IN=memory LD_LIBRARY_PATH=" LIBRARIES " " PROGRAM " " + steps + " 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::string output;
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), pipe)) output += part.data();
  ::pclose(pipe);
  return output;
}

TEST(MemoryLimit, AProcessGetsNoMoreThanItsLimit) {
  const std::string mb_100 = std::to_string(100 << 20);
  EXPECT_EQ(output_of(mb_100, "left take 60 take 50 left take 40 left give left take-async 41 take-async 40"),
            "100 of 100, 100\ntake 60: 0\ntake 50: 2\n40 of 100, 100\ntake 40: 0\n0 of 100, 100\n40 of 100, "
            "100\ntake-async 41: 2\ntake-async 40: 0\n0\n");
}

TEST(MemoryLimit, WhatAContextHadIsFreeWhenItEnds) {
  EXPECT_EQ(output_of(std::to_string(100 << 20), "take 60 take-async 30 context left"),
            "take 60: 0\ntake-async 30: 0\n70 of 100, 100\n0\n");
}

TEST(MemoryLimit, WithoutALimitTheDriversAnswersCount) {
  EXPECT_EQ(output_of("", "left take 90000 left"), "71680 of 81920, 81920\ntake 90000: 0\n71680 of 81920, 81920\n0\n");
  EXPECT_THAT(output_of("much", "left"), testing::HasSubstr("HEDDLE_MEMORY_LIMIT"));
}

// The stand-in has 132 SMs, each with room for two blocks of any kernel. The daemon divides eight units.
TEST_F(GateTest, AProgramSeesTheProcessorsOfItsQuota) {
  const auto printed = [&](const char* tenant, const std::vector<std::string>& steps) {
    testing::internal::CaptureStdout();
    Program program(socket_, tenant, "", steps);
    EXPECT_TRUE(until([&] { return program.ended(); }));
    return testing::internal::GetCapturedStdout();
  };
  const std::vector<std::string> steps = {"processors", "meet", "66", "meet", "67", "meet", "264"};
  const char* const all = "132, 264, 264 of 256\nmeet 66: 0, 0\nmeet 67: 0, 0\nmeet 264: 0, 0\n0\n";
  EXPECT_EQ(printed("batch:0.25:whole", steps), all);
  ::setenv("HEDDLE_TENANT_PROCESSORS", "quota", 1);
  EXPECT_EQ(printed("batch:0.25:quarter", steps),
            "33, 66, 66 of 256\nmeet 66: 0, 0\nmeet 67: 720, 720\nmeet 264: 720, 720\n0\n");
  EXPECT_EQ(printed("batch:0:none", steps), all);
  ::unsetenv("HEDDLE_TENANT_PROCESSORS");
}

TEST_F(GateTest, ATenantVariableThatIsNoneIsSaid) {
  testing::internal::CaptureStderr();
  Program wrong(socket_, "nonsense", "", {"launch", "3"});
  EXPECT_TRUE(until([&] { return wrong.ended(); }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("this process is no tenant"));
  EXPECT_EQ(wrong.code(), 0);
}

}  // namespace
}  // namespace heddle::daemon
