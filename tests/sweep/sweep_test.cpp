// Sweeps: the list of runs, and the file of results that processes share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/runner.hpp"

namespace heddle::sweep {
namespace {

using testing::HasSubstr;

constexpr const char* sweep = R"(
machines = ["fermi-gtx480", "mine.toml"]
results = "r.db"
[options]
scheduler = ["lrr", "gto"]
issue = ["single"]
[[kernels]]
file = "a.ptx"
arguments = ["--block", "64"]
[[kernels]]
name = "second"
file = "a.ptx"
arguments = ["--block", "32", "--arg", "in:x.npy"]
)";

class Sweep : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  Plan plan() const { return parse_plan(sweep, file("s.toml")); }
  tests::TemporaryFolder folder_;
};

TEST_F(Sweep, IsEveryMachineWithEveryKernelWithEveryOption) {
  const Plan all = plan();
  ASSERT_EQ(all.runs.size(), 8u);
  EXPECT_EQ(all.results, file("r.db"));
  EXPECT_EQ(all.runs[0].device("x.json"), "sim:fermi-gtx480,issue=single,scheduler=lrr,report=x.json");
  EXPECT_EQ(all.runs[3].kernel, "second");
  EXPECT_EQ(all.runs[3].options, "issue=single,scheduler=gto");
  EXPECT_EQ(all.runs[7].machine, "mine.toml");
  EXPECT_EQ(all.runs[7].number, 8u);
}

// Work that has changed is other work.
TEST_F(Sweep, KeysFollowTheContentsOfFiles) {
  const Plan before = plan();
  base::write_file_atomic(file("mine.toml"), std::string_view("sms = 3"));
  base::write_file_atomic(file("x.npy"), std::string_view("data"));
  const Plan after = plan();
  EXPECT_EQ(before.runs[0].key, after.runs[0].key);
  EXPECT_NE(before.runs[2].key, after.runs[2].key);  // reads x.npy
  EXPECT_NE(before.runs[4].key, after.runs[4].key);  // on mine.toml
  base::write_file_atomic(file("a.ptx"), std::string_view("other"));
  EXPECT_NE(after.runs[0].key, plan().runs[0].key);
}

TEST_F(Sweep, MistakesAreRefusedWithTheirLine) {
  const auto message = [&](const std::string& text) {
    try {
      parse_plan(text, file("s.toml"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message("machine = []"), HasSubstr("s.toml:1: unknown key 'machine'; there are machines, kernels"));
  EXPECT_THAT(message("\nmachines = \"x\""), HasSubstr("s.toml:2: machines must be a list"));
  EXPECT_THAT(message("machines = [\"x\"]"), HasSubstr("kernels is missing"));
  EXPECT_THAT(message("machines = ["), HasSubstr("s.toml:1: "));
  EXPECT_THAT(message("[options]\nreport = [\"a.json\"]"), HasSubstr("s.toml:2: options.report"));
  EXPECT_THAT(message("machines = [\"x\"]\n[[kernels]]\nname = \"k\""), HasSubstr("file is missing"));
}

TEST_F(Sweep, ARunIsClaimedOnceAndByItsProcess) {
  const Plan all = plan();
  const base::SteadyClock clock;
  Results results(all.results, clock);
  EXPECT_TRUE(results.claim(all.runs[0]));
  EXPECT_FALSE(results.claim(all.runs[0]));  // this process is at it
  results.finish(all.runs[0], {.state = "done", .cycles = 12345}, "text");
  EXPECT_FALSE(results.claim(all.runs[0]));
  EXPECT_EQ(results.find(all.runs[0])->cycles, 12345);
  EXPECT_TRUE(results.claim(all.runs[1]));
  results.finish(all.runs[1], {.state = "failed", .error = "why"}, "");
  EXPECT_TRUE(results.claim(all.runs[1]));  // what failed is tried again
  EXPECT_THAT(results_text(all.runs, results), testing::AllOf(HasSubstr("12 345"), HasSubstr("not yet done")));
}

// What a process was at that has ended is free again.
TEST_F(Sweep, ARunOfADeadProcessIsTakenOver) {
  const Plan all = plan();
  const pid_t child = ::fork();
  if (child == 0) {
    const base::SteadyClock clock;
    Results results(all.results, clock);
    ::_exit(results.claim(all.runs[0]) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  const base::SteadyClock clock;
  Results results(all.results, clock);
  EXPECT_TRUE(results.claim(all.runs[0]));
}

// Killed, and not yet asked for its end by its parent: the process is still in the system's list.
TEST_F(Sweep, ARunOfAKilledProcessIsTakenOverAtOnce) {
  const Plan all = plan();
  int claimed[2] = {};
  ASSERT_EQ(::pipe(claimed), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const base::SteadyClock clock;
    Results results(all.results, clock);
    const char answer = results.claim(all.runs[0]) ? 'y' : 'n';
    if (::write(claimed[1], &answer, 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(claimed[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  const base::SteadyClock clock;
  Results results(all.results, clock);
  EXPECT_FALSE(results.claim(all.runs[0]));
  ::kill(child, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  ASSERT_EQ(::kill(child, 0), 0);
  EXPECT_TRUE(results.claim(all.runs[0]));
  ::waitpid(child, nullptr, 0);
  for (const int end : claimed) ::close(end);
}

// As in a container, where each sweep is process 7.
TEST_F(Sweep, ARunOfAnEarlierProcessWithThisNumberIsTakenOver) {
  const Plan all = plan();
  const base::SteadyClock clock;
  Results results(all.results, clock);
  ASSERT_TRUE(results.claim(all.runs[0]));
  EXPECT_FALSE(results.claim(all.runs[0]));
  base::Database database(all.results, {1, ""}, clock);
  database.change("UPDATE runs SET process = process - (1 << 22)");  // started a tick earlier
  EXPECT_TRUE(results.claim(all.runs[0]));
  // Earlier versions have noted the number alone.
  database.change("UPDATE runs SET process = process & ((1 << 22) - 1)");
  EXPECT_FALSE(results.claim(all.runs[0]));
}

// Whether a process of another host lives is known only by what it writes.
TEST_F(Sweep, ARunOfAnotherHostIsTakenOverWhenItHasBeenSilent) {
  const Plan all = plan();
  const base::SteadyClock clock;
  Results results(all.results, clock);
  ASSERT_TRUE(results.claim(all.runs[0]));
  base::Database database(all.results, {1, ""}, clock);
  database.change("UPDATE runs SET host = 'elsewhere', claimed = strftime('%s', 'now') - 240");
  EXPECT_FALSE(results.claim(all.runs[0]));
  database.change("UPDATE runs SET claimed = strftime('%s', 'now') - 310");
  EXPECT_TRUE(results.claim(all.runs[0]));
}

// One of two clocks was wrong, or has been set back.
TEST_F(Sweep, AClaimOfALaterTimeGoesStale) {
  const Plan all = plan();
  const base::SteadyClock clock;
  Results results(all.results, clock);
  ASSERT_TRUE(results.claim(all.runs[0]));
  base::Database database(all.results, {1, ""}, clock);
  database.change("UPDATE runs SET host = 'elsewhere', claimed = strftime('%s', 'now') + 240");
  EXPECT_FALSE(results.claim(all.runs[0]));
  database.change("UPDATE runs SET claimed = strftime('%s', 'now') + 3600");
  EXPECT_TRUE(results.claim(all.runs[0]));
}

TEST_F(Sweep, KeptClaimsAreThoseOfThisProcess) {
  const Plan all = plan();
  const base::SteadyClock clock;
  Results results(all.results, clock);
  ASSERT_TRUE(results.claim(all.runs[0]));
  ASSERT_TRUE(results.claim(all.runs[1]));
  base::Database database(all.results, {1, ""}, clock);
  database.change("UPDATE runs SET claimed = 1");
  database.change("UPDATE runs SET host = 'elsewhere' WHERE key = ?1", all.runs[1].key);
  results.keep_claims();
  base::Rows rows = database.find("SELECT claimed > 1 FROM runs ORDER BY number");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 1);
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 0);
}

// Four processes at one file: each run is done by exactly one.
TEST_F(Sweep, ProcessesShareTheRuns) {
  const Plan all = plan();
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      int taken = 0;
      const base::SteadyClock clock;
      Results results(all.results, clock);
      for (const PlannedRun& run : all.runs) {
        if (!results.claim(run)) continue;
        results.finish(run, {.state = "done"}, "");
        ++taken;
      }
      ::_exit(taken);
    }
    children.push_back(child);
  }
  int taken = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    taken += WEXITSTATUS(status);
  }
  EXPECT_EQ(taken, 8);
}

}  // namespace
}  // namespace heddle::sweep
