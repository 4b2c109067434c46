// What holds for every policy (Dynamic Warp Formation, section 2.0): (a) results are the interpreter's, (b) the number
// of thread instructions is the same, (c) each slot is counted once, (d) the cycles depend on no host thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "device/sim/policies/registry.hpp"
#include "device/sim/sim.hpp"
#include "heddle/error.hpp"
#include "random/comparison.hpp"

namespace heddle::device::sim {
namespace {

using test::random_kernel::Verdict;

struct Ran {
  test::random_kernel::Comparison comparison;
  std::vector<KernelStatistics> launches;
};

// A random kernel on a machine of few SMs, beside the interpreter.
Ran run(const std::string& text, const std::string& options, const std::string& machine = "hopper-h100") {
  Ran ran;
  ran.comparison = test::random_kernel::compare_with_interp(text, [&](const test::PtxCase& c) {
    return test::run_case(c, [&](const test::TestDeviceOptions& wanted) {
      SimOptions chosen = parse_sim_options("sim:" + machine + options);
      chosen.machine.sms = 3;
      chosen.poison = wanted.poison;
      chosen.print = wanted.print;
      chosen.on_launch = [&](const std::string&, const KernelStatistics& s) { ran.launches.push_back(s); };
      return make_sim_device(std::move(chosen));
    });
  });
  return ran;
}

template <class Counts>
std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void expect_consistent(const SmStatistics& sm, const std::string& machine = "hopper-h100") {
  EXPECT_EQ(sum(sm.uses), sm.slots);
  EXPECT_EQ(sum(sm.lanes), sm.slots);
  EXPECT_EQ(sm.slots, sm.cycles * parse_sim_options("sim:" + machine).machine.front.schedulers);
  EXPECT_EQ(sum(sm.lane_uses), sm.thread_instructions);
}

TEST(Policies, GiveTheSameResultsAndInstructionsOnRandomKernels) {
  const std::vector<std::string> policies = {
      ",memory=ideal,scheduler=gto",
      ",divergence=nrec,scheduler=two-level",
      ",divergence=mimd,issue=dual,scheduler=oldest",
      ",lanes=swizzle",
      ",residency=virtual-thread,memory-queue=active-first",
      ",divergence=tf,residency=virtual-thread,context-bits=0,swap=literal",
      ",residency=max,memory-queue=mascar,divergence=nrec",
      ",divergence=dwf,lanes=swizzle",
      ",divergence=dwf,formation=minority,memory=ideal",
      ",divergence=dwf,formation=timestamp,pool=4",
      ",divergence=dwf,formation=pc,register-file=crossbar",
      ",divergence=dwf,formation=pdom-priority,register-file=ideal,lut-entries=4"};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::string text = test::random_kernel::generate(seed).text();
    const Ran base = run(text, "");
    ASSERT_EQ(base.comparison.verdict, Verdict::equal) << "seed " << seed << ": " << base.comparison.text << text;
    ASSERT_FALSE(base.launches.empty());
    expect_consistent(base.launches[0].sm);
    for (const std::string& policy : policies) {
      const Ran other = run(text, policy);
      ASSERT_EQ(other.comparison.verdict, Verdict::equal) << "seed " << seed << policy << other.comparison.text;
      expect_consistent(other.launches.at(0).sm);
      EXPECT_EQ(other.launches[0].sm.thread_instructions, base.launches[0].sm.thread_instructions)
          << "seed " << seed << policy;
    }
  }
}

// Warps of 64 threads, on the machine of the paper that describes them.
TEST(Policies, InterweavingGivesTheSameResultsAndInstructionsOnRandomKernels) {
  const std::vector<std::string> policies = {",divergence=tf",
                                             ",divergence=tf,layout=asis,issue=dual,exchange=off",
                                             ",issue=wide,lanes=mirror-odd",
                                             ",issue=sbi,constraints=off,cold=1",
                                             ",issue=sbi,divide=dominator,slot2=same-warp,sorter=0",
                                             ",issue=swi,lanes=xor-rev",
                                             ",issue=swi,lanes=mirror-half,ways=1,memory=ideal",
                                             ",issue=sbi+swi,lanes=xor,memory=ideal",
                                             ",issue=sbi+swi,ways=4,exchange=off"};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::string text = test::random_kernel::generate(seed).text();
    const Ran base = run(text, "", "sbi-fermi");
    ASSERT_EQ(base.comparison.verdict, Verdict::equal) << "seed " << seed << ": " << base.comparison.text << text;
    for (const std::string& policy : policies) {
      const Ran other = run(text, policy, "sbi-fermi");
      ASSERT_EQ(other.comparison.verdict, Verdict::equal) << "seed " << seed << policy << other.comparison.text;
      expect_consistent(other.launches.at(0).sm, "sbi-fermi");
      EXPECT_EQ(other.launches[0].sm.thread_instructions, base.launches.at(0).sm.thread_instructions)
          << "seed " << seed << policy;
    }
  }
}

// With ideal memory: caches see the host's addresses, which change from run to run.
TEST(Policies, CyclesDependOnNoHostThread) {
  for (std::uint64_t seed = 100; seed < 106; ++seed) {
    const std::string text = test::random_kernel::generate(seed).text();
    const Ran one = run(text, ",memory=ideal"), again = run(text, ",memory=ideal"),
              two = run(text, ",memory=ideal,threads=2");
    ASSERT_EQ(two.comparison.verdict, Verdict::equal) << "seed " << seed << two.comparison.text;
    EXPECT_EQ(one.launches.at(0).cycles(), again.launches.at(0).cycles()) << "seed " << seed;
    EXPECT_EQ(one.launches.at(0).cycles(), two.launches.at(0).cycles()) << "seed " << seed;
    EXPECT_EQ(one.launches.at(0).sm, two.launches.at(0).sm) << "seed " << seed;
  }
}

TEST(Policies, UnknownNamesAreRefusedWithThoseThatThereAre) {
  const auto message = [](const std::string& text) {
    try {
      parse_sim_options(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message("sim:fermi-gtx480,scheduler=best"), testing::HasSubstr("lrr, gto, two-level, oldest"));
  EXPECT_THAT(message("sim:fermi-gtx480,divergence=x"), testing::HasSubstr("pdom, nrec, mimd, dwf, tf"));
  EXPECT_THAT(message("sim:fermi-gtx480,colour=red"), testing::HasSubstr("no option 'colour'"));
  EXPECT_THAT(message("sim:fermi-gtx480,threads=0"), testing::HasSubstr("from 1 to 64"));
}

}  // namespace
}  // namespace heddle::device::sim
