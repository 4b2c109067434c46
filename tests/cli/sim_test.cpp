// heddle sim: reports, comparisons and sweeps of simulated GPUs, from launches to pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "support/wait_until.hpp"
#include "sweep/plan.hpp"
#include "sweep/results.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kernel = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %t, %b, %n; .reg .f32 %f;
  ld.param.u64 %p, [a];
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %t, %b, %n, %t;
  mul.wide.u32 %q, %t, 4;
  add.u64 %p, %p, %q;
  ld.global.f32 %f, [%p];
  add.f32 %f, %f, %f;
  st.global.f32 [%p], %f;
  ret;
}
)";

class Sim : public HeddleCommand {
 protected:
  void SetUp() override { write("k.ptx", kernel); }
  Ran launch(const std::string& device) const {
    return heddle("launch k.ptx --grid 8 --block 64 --arg zeros:f32:512 --device " + device);
  }
};

TEST_F(Sim, AReportIsATextAndAPage) {
  ASSERT_EQ(launch("sim:fermi-gtx480,report=a.json,trace=t.json").code, 0);
  const Ran text = heddle("sim report a.json");
  EXPECT_EQ(text.code, 0) << text.output;
  EXPECT_THAT(text.output,
              AllOf(HasSubstr("twice: 8 blocks of 64 threads"), HasSubstr("add.f32"), HasSubstr("occupancy")));
  const Ran page = heddle("sim report a.json --html a.html");
  EXPECT_THAT(page.output, HasSubstr("a.html: 1 launch"));
  EXPECT_THAT(read("a.html"), AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("ld.global.f32"), HasSubstr("Roofline")));
  EXPECT_THAT(read("t.json"), AllOf(HasSubstr("\"cat\":\"issue\""), HasSubstr("\"name\":\"memory\"")));
  EXPECT_EQ(heddle("sim report a.json --html a.json").code, 1);  // not over what it is made of
  EXPECT_EQ(heddle("sim report k.ptx").code, 1);
}

TEST_F(Sim, ReportsAreCompared) {
  ASSERT_EQ(launch("sim:fermi-gtx480,report=a.json").code, 0);
  ASSERT_EQ(launch("sim:fermi-gtx480,scheduler=gto,report=b.json").code, 0);
  const Ran text = heddle("sim compare a.json b.json");
  EXPECT_EQ(text.code, 0) << text.output;
  EXPECT_THAT(text.output, AllOf(HasSubstr("scheduler=gto"), HasSubstr("SIMD efficiency")));
  EXPECT_EQ(heddle("sim compare a.json b.json --html c.html").code, 0);
  EXPECT_THAT(read("c.html"), HasSubstr("<td>cycles</td>"));
  EXPECT_EQ(heddle("sim compare a.json").code, 2);
}

// Every place that shows cycles of a sampled launch says that they are an estimate, and what the other figures are of.
TEST_F(Sim, EstimatesAreMarked) {
  write("small.toml", "based-on = \"fermi-gtx480\"\nsms = 1\n");
  const auto launch_sampled = [&](const std::string& report) {
    return heddle("launch k.ptx --grid 200 --block 64 --arg zeros:f32:12800 --device sim:small.toml,sample=10,report=" +
                  report);
  };
  EXPECT_THAT(launch_sampled("text").output, AllOf(HasSubstr("cycles     about "), HasSubstr("95 % interval"),
                                                   HasSubstr("sampled    10 waves, 80 of "
                                                             "200 blocks"),
                                                   HasSubstr("by estimate where blocks were sampled")));
  ASSERT_EQ(launch_sampled("a.json").code, 0);
  EXPECT_THAT(read("a.json"), AllOf(HasSubstr("\"confidence\":0.95"), HasSubstr("\"of_blocks\":200")));
  const auto marked = AllOf(HasSubstr("~"), HasSubstr("95 % interval"), HasSubstr("80 of 200 blocks"));
  EXPECT_THAT(heddle("sim report a.json").output, AllOf(marked, HasSubstr("Sampled: 10 waves")));
  ASSERT_EQ(heddle("sim report a.json --html a.html").code, 0);
  EXPECT_THAT(read("a.html"), AllOf(marked, HasSubstr("Sampled: 10 waves")));
  ASSERT_EQ(launch("sim:fermi-gtx480,sample=10,report=b.json").code, 0);  // of eight blocks
  EXPECT_THAT(heddle("sim compare a.json b.json").output,
              AllOf(marked, HasSubstr("no: its 8 blocks are not more than 10 waves of ")));
  EXPECT_NE(launch("sim:fermi-gtx480,sample=2").code, 0);
}

TEST_F(Sim, ASweepIsResumedAndHasOneTable) {
  write("s.toml",
        "machines = [\"fermi-gtx480\", \"tesla-g80\"]\n[options]\nscheduler = [\"lrr\", \"gto\"]\n[[kernels]]\n"
        "file = \"k.ptx\"\narguments = [\"--grid\", \"4\", \"--block\", \"64\", \"--arg\", \"zeros:f32:256\"]\n");
  const Ran list = heddle("sim sweep s.toml --list");
  EXPECT_THAT(list.output, AllOf(HasSubstr("tesla-g80"), HasSubstr("scheduler=gto")));
  const Ran one = heddle("sim sweep s.toml --only 2");
  EXPECT_EQ(one.code, 0) << one.output;
  EXPECT_THAT(one.output, AllOf(HasSubstr("[1/1] fermi-gtx480 k scheduler=gto: "), Not(HasSubstr("tesla-g80"))));
  const Ran so_far = heddle("sim sweep s.toml --show");
  EXPECT_EQ(so_far.code, 0) << so_far.output;
  EXPECT_THAT(so_far.output, AllOf(HasSubstr("not yet done"), HasSubstr("tesla-g80"), Not(HasSubstr("[1/"))));
  const Ran rest = heddle("sim sweep s.toml --jobs 2");
  EXPECT_EQ(rest.code, 0) << rest.output;
  EXPECT_THAT(rest.output,
              AllOf(HasSubstr("1 of 4 runs are there already"), HasSubstr("[4/4]"), Not(HasSubstr("not yet"))));
  const Ran again = heddle("sim sweep s.toml");
  EXPECT_THAT(again.output, AllOf(HasSubstr("4 of 4 runs are there already"), Not(HasSubstr("[4/4]"))));
  EXPECT_EQ(heddle("sim sweep s.toml --only 5").code, 2);
}

TEST_F(Sim, TasksOfAJobArrayDoOneRunEach) {
  write("s.toml",
        "machines = [\"fermi-gtx480\", \"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\"\n"
        "arguments = [\"--block\", \"64\", \"--arg\", \"zeros:f32:64\"]\n");
  for (const char* task : {"2", "1"}) {
    ::setenv("SLURM_ARRAY_TASK_ID", task, 1);
    const Ran ran = heddle("sim sweep s.toml --only $SLURM_ARRAY_TASK_ID");
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("[1/1]"));
  }
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  EXPECT_THAT(heddle("sim sweep s.toml --show").output, Not(HasSubstr("not yet done")));
}

TEST_F(Sim, ARunThatFailsIsNamedAndTheOthersGoOn) {
  write("s.toml",
        "machines = [\"no-such\", \"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\"\n"
        "arguments = [\"--block\", \"64\", \"--arg\", \"zeros:f32:64\"]\n");
  const Ran ran = heddle("sim sweep s.toml");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("there is no machine 'no-such'"), HasSubstr("tesla-g80  k")));
}

// Without a line about them, progress that ends before the number of runs looks like an abort. This process is the
// other one that is at the sweep.
TEST_F(Sim, RunsOfAnotherProcessAreCounted) {
  write("s.toml",
        "machines = [\"fermi-gtx480\", \"tesla-g80\"]\n[options]\nscheduler = [\"lrr\", \"gto\"]\n[[kernels]]\n"
        "file = \"k.ptx\"\narguments = [\"--block\", \"64\", \"--arg\", \"zeros:f32:64\"]\n");
  const base::SteadyClock clock;
  const sweep::Plan plan = sweep::read_plan(folder_.path() / "s.toml");
  sweep::Results results(plan.results, clock);
  for (const std::size_t run : {1, 2}) ASSERT_TRUE(results.claim(plan.runs[run]));
  const Ran early = heddle("sim sweep s.toml");
  EXPECT_EQ(early.code, 0) << early.output;
  EXPECT_THAT(early.output, AllOf(HasSubstr("[2/4] another process is at 2 runs; --wait waits for it\n"),
                                  Not(HasSubstr("by another process"))));
  Ran waits;
  std::thread other([&] { waits = heddle("sim sweep s.toml --wait", "&1", "echo > begun;"); });
  EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(folder_.path() / "begun"); }));
  let_pass(clock, 300'000'000);  // until the command has found these runs claimed
  for (const std::size_t run : {1, 2}) results.finish(plan.runs[run], {.state = "done", .cycles = 7}, "");
  other.join();
  EXPECT_EQ(waits.code, 0) << waits.output;
  EXPECT_THAT(waits.output,
              AllOf(HasSubstr("2 of 4 runs are there already\n[4/4] 2 runs were done by another process\n"),
                    Not(HasSubstr("--wait"))));
}

}  // namespace
}  // namespace heddle::tests
