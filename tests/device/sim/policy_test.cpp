// What holds for every policy (Dynamic Warp Formation, section 2.0), on random kernels and on the kernels of
// tests/data/run: (a) results are the interpreter's, (b) the number of thread instructions is the same, (c) each slot
// is counted once, (d) the cycles depend on no host thread, (e) after each cycle no thread is lost or in two places,
// and each policy's own rules hold. HEDDLE_RANDOM_SEEDS=BEGIN:END chooses the random kernels, HEDDLE_RANDOM_VARIANTS=N
// that every Nth of them runs under all variants of the policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "device/sim/policies/registry.hpp"
#include "device/sim/policy_runs.hpp"
#include "heddle/error.hpp"
#include "random/comparison.hpp"
#include "support/places.hpp"

namespace heddle::device::sim {
namespace {

using test::random_kernel::Verdict;

struct Seeds {
  std::uint64_t begin = 0, end = 200;
};
std::uint64_t chosen_variants() {
  const char* const every = std::getenv("HEDDLE_RANDOM_VARIANTS");
  return std::max<std::uint64_t>(every ? std::strtoull(every, nullptr, 10) : 8, 1);
}
Seeds chosen_seeds() {
  Seeds seeds;
  if (const char* range = std::getenv("HEDDLE_RANDOM_SEEDS")) {
    const std::string text = range;
    seeds.begin = std::strtoull(text.c_str(), nullptr, 10);
    seeds.end = std::strtoull(text.substr(text.find(':') + 1).c_str(), nullptr, 10);
  }
  return seeds;
}

struct Ran {
  test::random_kernel::Comparison comparison;
  std::vector<KernelStatistics> launches;
};

// A random kernel beside the interpreter.
Ran run(const std::string& text, const std::string& machine, const std::string& options) {
  Ran ran;
  ran.comparison = test::random_kernel::compare_with_interp(
      text, [&](const test::PtxCase& c) { return run_on_sim(c, machine, options, ran.launches); });
  return ran;
}

void expect_alike(std::uint64_t seed, const OtherPolicies& policies) {
  const std::string text = test::random_kernel::generate(seed).text();
  const Ran base = run(text, policies.machine, "");
  ASSERT_EQ(base.comparison.verdict, Verdict::equal) << base.comparison.text << text;
  ASSERT_FALSE(base.launches.empty());
  expect_consistent(base.launches[0].sm, policies.machine);
  for (const std::string& policy : policies.options) {
    SCOPED_TRACE(policy);
    const Ran other = run(text, policies.machine, policy);
    ASSERT_EQ(other.comparison.verdict, Verdict::equal) << other.comparison.text;
    expect_consistent(other.launches.at(0).sm, policies.machine);
    EXPECT_EQ(other.launches[0].sm.thread_instructions, base.launches[0].sm.thread_instructions);
  }
  expect_same(base.launches, run(text, policies.machine, ",threads=2").launches);
}

TEST(Policies, GiveTheSameResultsAndInstructionsOnRandomKernels) {
  const auto [begin, end] = chosen_seeds();
  for (std::uint64_t seed = begin; seed < end && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const OtherPolicies& policies : other_policies) expect_alike(seed, policies);
    if (seed % chosen_variants() != 0) continue;
    for (const OtherPolicies& policies : policy_variants) expect_alike(seed, policies);
  }
}

// Whether the number of instructions is the kernel's alone: no thread waits for others in a loop, and none asks for the
// time or for its SM.
bool counts_alike(const test::PtxCase& c) {
  const auto has = [&](const char* text) { return c.source.find(text) != std::string::npos; };
  return !has("atom") && !has(".acquire") && !has(".volatile") && !has("%clock") && !has("%globaltimer") &&
         !has("%smid") && !has("mbarrier.t") && !has("nanosleep");
}

TEST(Policies, GiveTheSameResultsAndInstructionsOnKernelsAsData) {
  unsigned kernels = 0, counted = 0;
  for (const test::PtxCase& c : test::read_folder(tests::test_data() / "data" / "run")) {
    // Instructions without control flow are the same to every policy (device_sim_ptx_run_test runs them).
    if (!c.runs_on("sim") || c.error || c.file.parent_path().filename() == "arithmetic") continue;
    SCOPED_TRACE(c.name());
    for (const OtherPolicies& policies : other_policies) {
      SCOPED_TRACE(policies.machine);
      std::vector<KernelStatistics> base;
      EXPECT_EQ(test::check_case(c, run_on_sim(c, policies.machine, "", base)), "");
      for (const std::string& policy : policies.options) {
        SCOPED_TRACE(policy);
        std::vector<KernelStatistics> other;
        EXPECT_EQ(test::check_case(c, run_on_sim(c, policies.machine, policy, other)), "");
        ASSERT_EQ(other.size(), base.size());
        for (std::size_t i = 0; i < other.size(); ++i) {
          expect_consistent(other[i].sm, policies.machine);
          if (!counts_alike(c)) continue;
          EXPECT_EQ(other[i].sm.thread_instructions, base[i].sm.thread_instructions);
          ++counted;
        }
      }
      std::vector<KernelStatistics> two;
      run_on_sim(c, policies.machine, ",threads=2", two);
      expect_same(base, two);
    }
    ++kernels;
  }
  EXPECT_GT(kernels, 100u);
  EXPECT_GT(counted, 100u);
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
  EXPECT_THAT(message("sim:fermi-gtx480,divergence=x"), testing::HasSubstr("pdom, nrec, mimd, dwf, tf, its, tbc"));
  EXPECT_THAT(message("sim:fermi-gtx480,colour=red"), testing::HasSubstr("no option 'colour'"));
  EXPECT_THAT(message("sim:fermi-gtx480,threads=0"), testing::HasSubstr("from 1 to 64"));
}

}  // namespace
}  // namespace heddle::device::sim
