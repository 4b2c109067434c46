// heddle daemon, tenant, top, policy and explain: with a daemon that is a process, and programs as its tenants.
#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Launches until there is a file "stop", and looks at the result.
constexpr const char* program = R"(
#include <cstdio>
__global__ void work(unsigned* x, unsigned times) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, value = x[i];
  for (unsigned k = 0; k < times; ++k) value = value * 3 + 1;
  x[i] = value;
}
int main() {
  constexpr unsigned n = 64 * 32, times = 2000;
  unsigned *x, got[n], expected = 0;
  if (cudaMalloc(&x, sizeof got) != cudaSuccess) return 1;
  cudaMemset(x, 0, sizeof got);
  for (std::FILE* stop = nullptr; stop == nullptr; stop = std::fopen("stop", "r")) {
    work<<<64, 32>>>(x, times);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    for (unsigned k = 0; k < times; ++k) expected = expected * 3 + 1;
  }
  cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost);
  for (unsigned value : got)
    if (value != expected) return 3;
  std::puts("right");
}
)";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

class TenantCommands : public HeddleCommand {
 protected:
  void SetUp() override {
    ::setenv("HEDDLE_DAEMON", (folder_.path() / "run" / "socket").c_str(), 1);
    ::setenv("HEDDLE_CPU_WORKERS", "4", 1);
  }
  void TearDown() override {
    base::write_file_atomic(folder_.path() / "stop", std::string_view());
    heddle("daemon stop");
    ::unsetenv("HEDDLE_DAEMON");
    ::unsetenv("HEDDLE_CPU_WORKERS");
  }
  nlohmann::json status() const {
    const Ran ran = heddle("daemon status --json");
    return ran.code == 0 ? nlohmann::json::parse(ran.output) : nlohmann::json{{"tenants", nlohmann::json::array()}};
  }
  // The process of the daemon at this test's socket.
  pid_t daemon_process() const {
    const std::string socket = (folder_.path() / "run" / "socket").string();
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      std::ifstream words(entry.path() / "cmdline"), variables(entry.path() / "environ");
      const std::string line{std::istreambuf_iterator<char>(words), {}},
          environment{std::istreambuf_iterator<char>(variables), {}};
      if (line.find("--foreground") != line.npos && environment.find("HEDDLE_DAEMON=" + socket) != environment.npos)
        return std::stoi(name);
    }
    return -1;
  }
  std::string said(const char* file) const { return base::read_file(folder_.path() / file); }
};

TEST_F(TenantCommands, SayWhatIsWrong) {
  EXPECT_THAT(heddle("daemon status").output, HasSubstr("no daemon runs at "));
  EXPECT_EQ(heddle("top --once").code, 1);
  EXPECT_EQ(heddle("policy lithos").code, 1);
  const auto said = [&](const std::string& arguments) {
    const Ran ran = heddle(arguments);
    EXPECT_EQ(ran.code, 2) << arguments;
    return ran.output;
  };
  EXPECT_THAT(said("tenant run --quota 120% true"), HasSubstr("the quota '120%' is no part of a device"));
  EXPECT_THAT(said("tenant run --class fast true"), HasSubstr("there is no class 'fast'"));
  EXPECT_THAT(said("tenant run --name a"), HasSubstr("no program is named"));
  EXPECT_THAT(said("tenant run --name 'a\"b' true"), HasSubstr("without quotes"));
  EXPECT_THAT(said("tenant run --devise cpu true"), HasSubstr("did you mean '--device'?"));
  EXPECT_THAT(said("tenant set a"), HasSubstr("--quota or --class"));
  EXPECT_THAT(said("explain a --last 3h"), HasSubstr("expected a time up to a day"));
  EXPECT_EQ(heddle("daemon start --units 4 --policy orion").code, 2);
  EXPECT_THAT(said("tenant run --slice 2 true"), HasSubstr("--slice 2: a tenant's policy decides"));
  EXPECT_THAT(heddle("tenant run --help").output, HasSubstr("--quota PART"));
  EXPECT_THAT(heddle("help --man").output, AllOf(HasSubstr(".SS heddle tenant"), HasSubstr("\\-\\-metrics\\-port")));
  EXPECT_THAT(heddle("completion bash").output, AllOf(HasSubstr("'run list set'"), HasSubstr("'start stop status'")));
}

TEST_F(TenantCommands, ProgramsOfTheBatchClassComeLastUnderMps) {
  const auto priority = [this](const std::string& options) {
    return heddle("tenant run " + options + " --device cpu sh -c 'echo priority=$CUDA_MPS_CLIENT_PRIORITY'").output;
  };
  EXPECT_THAT(priority("--class batch"), HasSubstr("priority=1\n"));
  EXPECT_THAT(priority("--class latency"), HasSubstr("priority=\n"));
  ::setenv("CUDA_MPS_CLIENT_PRIORITY", "0", 1);
  EXPECT_THAT(priority("--class batch"), HasSubstr("priority=0\n"));
  ::unsetenv("CUDA_MPS_CLIENT_PRIORITY");
}

TEST_F(TenantCommands, AProgramTakesNoMoreMemoryThanItsLimit) {
  base::write_file_atomic(folder_.path() / "take.cu", std::string_view(R"(
#include <cstdio>
int main() {
  void *first, *second;
  size_t free = 0, total = 0;
  int a = cudaMalloc(&first, 60 << 20), b = cudaMalloc(&second, 50 << 20);
  cudaGetLastError();
  cudaMemGetInfo(&free, &total);
  cudaFree(first);
  int c = cudaMalloc(&second, 50 << 20);
  std::printf("%d %d %d, %zu MiB\n", a, b, c, total >> 20);
}
)"));
  EXPECT_THAT(heddle("tenant run --memory 100MiB take.cu").output, HasSubstr("0 2 0, 100 MiB"));
  EXPECT_THAT(heddle("tenant run --memory=0.1G --device interp take.cu").output, HasSubstr("0 2 0, 102 MiB"));
  for (const char* wrong : {"much", "5", "-1G", "10X"}) {
    const Ran ran = heddle(std::string("tenant run --memory=") + wrong + " take.cu");
    EXPECT_EQ(ran.code, 2) << wrong;
    EXPECT_THAT(ran.output, HasSubstr("expected an amount from 1M on")) << wrong;
  }
}

TEST_F(TenantCommands, TheUsualNameIsTheProgramsWhateverItsArguments) {
  EXPECT_THAT(heddle("tenant run --device cpu sh -c 'echo tenant=$HEDDLE_TENANT \"hi\"'").output,
              HasSubstr("tenant=batch:0:sh-"));
  EXPECT_THAT(heddle("tenant run --name \"$(printf '\\377')\" --device cpu true").output, HasSubstr("in UTF-8"));
}

TEST_F(TenantCommands, ADaemonReplacesNoFileByItsLog) {
  const std::filesystem::path log = folder_.path() / "run" / "socket.log";
  std::filesystem::create_directory(log.parent_path());
  std::filesystem::permissions(log.parent_path(), std::filesystem::perms::owner_all);
  base::write_file_atomic(log, std::string_view("precious\n"));
  const Ran ran = heddle("daemon start --device cpu");
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.output, HasSubstr("which is no log of a daemon"));
  EXPECT_EQ(base::read_file(log), "precious\n");
  std::filesystem::remove(log);
  EXPECT_EQ(heddle("daemon start --device cpu").code, 0);
  EXPECT_EQ(heddle("daemon stop").code, 0);
  EXPECT_EQ(heddle("daemon start --device cpu").code, 0);  // its own log is replaced
}

// One that listens, and then finds its port taken, does not count as started; the next start replaces its log.
TEST_F(TenantCommands, ADaemonThatEndsAtOnceIsNoDaemon) {
  ASSERT_EQ(heddle("daemon start --units 4 --metrics-port 0").code, 0);
  const std::string port = said("run/socket.log").substr(said("run/socket.log").find("127.0.0.1:") + 10);
  const std::string other = "HEDDLE_DAEMON='" + (folder_.path() / "other" / "socket").string() + "'";
  for (int i = 0; i < 2; ++i) {
    const Ran ran = heddle("daemon start --units 4 --metrics-port " + std::to_string(std::stoi(port)), "&1", other);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.output, HasSubstr("the daemon has ended: metrics cannot be served at port "));
  }
  EXPECT_EQ(heddle("daemon status", "&1", other).code, 1);
}

// Starts at one time make one daemon, and leave its log as one that the next replaces.
TEST_F(TenantCommands, OfManyStartsOneMakesADaemon) {
  const std::string start = "daemon start --device cpu 2>&1 &";
  const std::string others = "for i in 1 2 3; do '" + heddle_program(HEDDLE_PROGRAM).string() + "' " + start + " done;";
  for (int round = 0; round < 3; ++round) {
    const std::string output = heddle(start + " wait; true", "&1", others).output;
    EXPECT_EQ(count(output, "the daemon runs: 4 units"), 1u) << output;
    EXPECT_EQ(count(output, "a daemon runs already at "), 3u) << output;
    EXPECT_EQ(heddle("daemon stop").code, 0);
  }
}

TEST_F(TenantCommands, ADaemonStartsAndStops) {
  const Ran started = heddle("daemon start --device cpu --metrics-port 0");
  ASSERT_EQ(started.code, 0) << started.output;
  EXPECT_THAT(started.output, HasSubstr("the daemon runs: 4 units, at "));
  EXPECT_THAT(heddle("daemon start").output, HasSubstr("a daemon runs already at "));
  EXPECT_THAT(heddle("daemon status").output, HasSubstr("4 units, policy lithos, 0 tenants"));
  EXPECT_EQ(heddle("policy static").code, 0);
  EXPECT_THAT(heddle("policy").output, AllOf(HasSubstr("the daemon divides 4 units by the policy static\n"),
                                             HasSubstr("mps-like"), HasSubstr("timeslice:MICROSECONDS")));
  EXPECT_THAT(heddle("policy best").output, HasSubstr("there is no policy 'best' between processes"));
  EXPECT_THAT(heddle("tenant set nobody --quota 5%").output, HasSubstr("there is no tenant 'nobody'"));
  EXPECT_THAT(heddle("tenant list").output, HasSubstr("there are no tenants"));
  EXPECT_THAT(heddle("top --once").output, HasSubstr("4 units, policy static"));
  EXPECT_EQ(heddle("daemon stop").code, 0);
  EXPECT_EQ(heddle("daemon status").code, 1);
}

// The socket may be that of all homes of a user, as in /tmp.
TEST_F(TenantCommands, APolicyHoldsForTheNextDaemonOfTheSameHome) {
  const auto policy_at = [&](const char* home) {
    const std::string before = "HEDDLE_CACHE_DIR= XDG_CACHE_HOME= HOME='" + (folder_.path() / home).string() + "'";
    EXPECT_EQ(heddle("daemon start --units 4", "&1", before).code, 0);
    const Ran ran = heddle("daemon status --json", "&1", before);
    return ran.code == 0 ? nlohmann::json::parse(ran.output)["policy"].get<std::string>() : ran.output;
  };
  for (const char* home : {"a", "b"}) std::filesystem::create_directory(folder_.path() / home);
  EXPECT_EQ(policy_at("a"), "lithos");
  EXPECT_EQ(heddle("policy static").code, 0);
  for (const auto& [home, policy] : {std::pair("b", "lithos"), std::pair("a", "static")}) {
    EXPECT_EQ(heddle("daemon stop").code, 0);
    EXPECT_EQ(policy_at(home), policy) << home;
  }
}

// Two CUDA programs, unchanged, under one daemon that is killed and started again while they run.
TEST_F(TenantCommands, TwoProgramsShareTheDevice) {
  base::write_file_atomic(folder_.path() / "work.cu", std::string_view(program));
  ASSERT_EQ(heddle("cc work.cu -o work").code, 0);
  ASSERT_EQ(heddle("daemon start --device cpu --policy static").code, 0);
  const std::string run = "tenant run --class ";
  heddle(run + "latency --quota 75% --name search --device cpu ./work >search.txt 2>&1 & true");
  ASSERT_TRUE(wait_until([&] { return status()["tenants"].size() == 1; }));
  heddle(run + "batch --quota=0.25 --name train --device cpu ./work >train.txt 2>&1 & true");
  ASSERT_TRUE(wait_until([&] { return status()["tenants"].size() == 2; }));
  auto tenants = status()["tenants"];
  EXPECT_EQ(tenants[0]["name"], "search");
  EXPECT_EQ(tenants[0]["units"], 3);
  EXPECT_EQ(tenants[1]["units"], 1);
  EXPECT_THAT(heddle("tenant list").output, AllOf(HasSubstr("search  latency"), HasSubstr("25 %")));
  ASSERT_TRUE(wait_until([&] { return status()["tenants"][0]["ranges"].get<int>() > 3; }));
  EXPECT_EQ(heddle("tenant set search --quota 50%").code, 0);
  EXPECT_TRUE(wait_until([&] { return status()["tenants"][0]["units"] == 2; }));
  EXPECT_EQ(status()["tenants"][0]["class"], "latency") << "what is not named stays";
  EXPECT_THAT(heddle("explain search --last 10m").output,
              AllOf(HasSubstr(": blocks 0 to 63 of 64 on 3 of 4 units"), HasSubstr("granted: 2 of 4 units")));
  const pid_t process = daemon_process();
  ASSERT_GT(process, 0);
  ::kill(process, SIGKILL);
  ASSERT_TRUE(wait_until([&] { return heddle("daemon status").code == 1; }));
  const Ran again = heddle("daemon start --device cpu");
  ASSERT_EQ(again.code, 0) << again.output;
  EXPECT_TRUE(wait_until([&] { return status()["tenants"].size() == 2; })) << status().dump();
  tenants = status()["tenants"];
  const bool search_is_first = tenants[0]["name"] == "search";
  EXPECT_EQ(tenants[search_is_first ? 0 : 1]["quota"], 0.5) << "what was set holds";
  EXPECT_EQ(status()["policy"], "static");
  base::write_file_atomic(folder_.path() / "stop", std::string_view());
  EXPECT_TRUE(wait_until([&] { return said("search.txt") == "right\n" && said("train.txt") == "right\n"; }))
      << said("search.txt") << said("train.txt");
  EXPECT_TRUE(wait_until([&] { return status()["tenants"].empty(); }));
}

}  // namespace
}  // namespace heddle::tests
