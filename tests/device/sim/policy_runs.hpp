// Kernels on small simulated machines with other policies, and what holds for all of them (Dynamic Warp Formation,
// section 2.0).
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "device/sim/sim.hpp"
#include "support/ptx_test.hpp"
#include "support/short_patience.hpp"

namespace heddle::device::sim {

// A machine, and options that name other policies than its own.
struct OtherPolicies {
  std::string machine;
  std::vector<std::string> options;
};
inline const std::vector<OtherPolicies> other_policies = {
    {"hopper-h100",
     {",memory=ideal,scheduler=gto", ",divergence=nrec,scheduler=two-level",
      ",divergence=mimd,issue=dual,scheduler=oldest", ",lanes=swizzle", ",divergence=dwf,lanes=swizzle",
      ",divergence=its", ",divergence=tbc,lanes=swizzle"}},
    {"sbi-fermi", {",divergence=tf"}}};
// Variants of these, for fewer kernels.
inline const std::vector<OtherPolicies> policy_variants = {
    {"hopper-h100",
     {",residency=virtual-thread,memory-queue=active-first", ",residency=finereg,memory-queue=active-first",
      ",divergence=its,residency=virtual-thread,issue=dual", ",divergence=tbc,memory=ideal,scheduler=gto",
      ",divergence=tf,residency=virtual-thread,context-bits=0,swap=literal",
      ",residency=max,memory-queue=mascar,divergence=nrec", ",divergence=dwf,formation=minority,memory=ideal",
      ",divergence=dwf,formation=timestamp,pool=4", ",divergence=dwf,formation=pc,register-file=crossbar",
      ",divergence=dwf,formation=pdom-priority,register-file=ideal,lut-entries=4", ",warp-width=8,scheduler=gto",
      ",divergence=dwf,lanes=swizzle,home-lanes=8", ",divergence=dwf,lanes=swizzle,warp-width=16,home-lanes=4"}},
    // Warps of 64 threads, on the machine of the paper that describes them.
    {"sbi-fermi",
     {",divergence=tf,layout=asis,issue=dual,exchange=off", ",issue=wide,lanes=mirror-odd",
      ",issue=sbi,constraints=off,cold=1", ",issue=sbi,divide=dominator,slot2=same-warp,sorter=0",
      ",issue=swi,lanes=xor-rev", ",issue=swi,lanes=mirror-half,ways=1,memory=ideal",
      ",issue=sbi+swi,lanes=xor,memory=ideal", ",issue=sbi+swi,ways=4,exchange=off"}}};

// A case on a machine of few SMs; `launches` gets its figures. After each cycle, what must hold for policies is
// checked: a launch that breaks it fails.
inline test::CaseResult run_on_sim(const test::PtxCase& c, const std::string& machine, const std::string& options,
                                   std::vector<KernelStatistics>& launches) {
  return test::run_case(c, [&](const test::TestDeviceOptions& wanted) {
    SimOptions chosen = parse_sim_options("sim:" + machine + options);
    chosen.machine.sms = 3;
    chosen.poison = wanted.poison;
    chosen.deadlock_timeout = test::short_patience;
    chosen.print = wanted.print;
    chosen.audit = true;
    chosen.on_launch = [&](const std::string&, const KernelStatistics& s) { launches.push_back(s); };
    return make_sim_device(std::move(chosen));
  });
}

template <class Counts>
std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// (c): each slot of each scheduler is counted once, by use and by lanes.
inline void expect_consistent(const SmStatistics& sm, const std::string& machine) {
  EXPECT_EQ(sum(sm.uses), sm.slots);
  EXPECT_EQ(sum(sm.lanes), sm.slots);
  EXPECT_EQ(sm.slots, sm.cycles * parse_sim_options("sim:" + machine).machine.front.schedulers);
  EXPECT_EQ(sum(sm.lane_uses), sm.thread_instructions);
}

// (d): the figures of two runs are the same, those of memory too.
inline void expect_same(const std::vector<KernelStatistics>& one, const std::vector<KernelStatistics>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].cycles(), other[i].cycles());
    EXPECT_EQ(one[i].sm, other[i].sm);
    EXPECT_EQ(one[i].memory, other[i].memory);
  }
}

}  // namespace heddle::device::sim
