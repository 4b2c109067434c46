// Rules of the SM's policies that are left out one by one (rules.cmake): none of that may go unnoticed. Each program
// has another source in the place of the library's own; one has all rules.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "device/sim/kernel_run.hpp"
#include "device/sim/policy_runs.hpp"
#include "heddle/error.hpp"
#include "random/comparison.hpp"

namespace heddle::device::sim {

extern const char* const left_out;  // the rule; null: none

namespace {

using test::random_kernel::Verdict;

// Policies of the machines whose rules are left out.
const std::vector<OtherPolicies> judges = {
    {"hopper-h100",
     {",divergence=dwf,lanes=swizzle", ",divergence=dwf,formation=timestamp,pool=4,lut-entries=4",
      ",divergence=tbc,lanes=swizzle", ",divergence=its", ",residency=virtual-thread"}},
    {"sbi-fermi", {",issue=sbi", ",issue=swi,lanes=xor-rev,memory=ideal", ",issue=sbi+swi,cold=1"}}};

bool differs(const std::string& text, const std::string& machine, const std::string& policies) {
  std::vector<KernelStatistics> launches;
  const auto comparison = test::random_kernel::compare_with_interp(
      text, [&](const test::PtxCase& c) { return run_on_sim(c, machine, policies, launches); });
  return comparison.verdict != Verdict::equal;
}

// Blocks that give way while their loads are under way, in rows of the scoreboard that others get.
bool virtual_threads_differ() {
  const std::string stores = pointer_chase +
                             "mul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\nadd.u64 %q, %q, 262144;\n"
                             "st.global.u32 [%q], %r0;\n";
  const KernelShape shape{.threads = 64, .blocks = 40, .words = 1 << 17};
  const KernelRun base = run_kernel("fermi-gtx480", stores, shape);
  const KernelRun other = run_kernel("fermi-gtx480,residency=virtual-thread", stores, shape);
  return other.words != base.words || other.figures.sm.policy[PolicyEvent::late_writes] == 0;
}

// Sides of a branch that change by turns: lanes of two warps that fit each other, and such that do not.
bool random_sides_differ() {
  const std::string body = R"(
mov.u32 %r0, 0;
mov.u32 %r1, %i;
L:
mad.lo.u32 %r1, %r1, 1664525, 1013904223;
shr.u32 %r2, %r1, 28;
setp.gt.u32 %c, %r2, 7;
@%c bra H;
add.u32 %r3, %r1, 5;
mul.lo.u32 %r3, %r3, 7;
xor.b32 %r1, %r1, %r3;
H:
add.u32 %r0, %r0, 1;
setp.lt.u32 %c, %r0, 30;
@%c bra L;
mul.wide.u32 %q, %i, 4;
add.u64 %q, %p, %q;
st.global.u32 [%q], %r1;
)";
  const KernelShape shape{.threads = 256, .blocks = 4, .words = 2048};
  const KernelRun base = run_kernel("sbi-fermi", body, shape);
  for (const char* machine : {"sbi-fermi,issue=sbi", "sbi-fermi,issue=swi,lanes=xor-rev", "sbi-fermi,issue=sbi+swi",
                              "dwf-g80,divergence=dwf", "dwf-g80,divergence=tbc"})
    if (run_kernel(machine, body, shape).words != base.words) return true;
  return false;
}

// Both sides of a branch come to another branch at the same time, and their threads part there.
bool sides_that_part_differ() {
  const std::string body = R"(
and.b32 %r0, %t, 1;
and.b32 %r1, %t, 2;
setp.eq.u32 %c, %r0, 0;
setp.eq.u32 %d, %r1, 0;
mov.u32 %r3, 1;
@%c bra B;
@%d bra A;
mad.lo.u32 %r3, %r3, 3, %t;
A:
mul.lo.u32 %r3, %r3, 5;
bra.uni J;
B:
@%d bra C;
mad.lo.u32 %r3, %r3, 7, %t;
C:
mul.lo.u32 %r3, %r3, 11;
J:
mul.wide.u32 %q, %i, 4;
add.u64 %q, %p, %q;
st.global.u32 [%q], %r3;
)";
  const KernelShape shape{.threads = 256, .blocks = 4, .words = 2048};
  const KernelRun base = run_kernel("sbi-fermi", body, shape);
  for (const char* machine : {"sbi-fermi,issue=sbi", "sbi-fermi,issue=sbi+swi"})
    if (run_kernel(machine, body, shape).words != base.words) return true;
  return false;
}

bool any_differs() {
  try {
    if (virtual_threads_differ() || random_sides_differ() || sides_that_part_differ()) return true;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      const std::string text = test::random_kernel::generate(seed).text();
      for (const OtherPolicies& machine : judges)
        for (const std::string& policies : machine.options)
          if (differs(text, machine.machine, policies)) return true;
    }
  } catch (const Error&) {
    return true;
  }
  return false;
}

// In a process of its own: without a rule memory may be used when it is not there any more, or nothing may end. Its
// wait status.
int status_of_all() {
  constexpr unsigned seconds = 240;
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    _exit(any_differs() ? 1 : 0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(PolicyMutant, IsCaughtAndNothingElseIs) {
  const int status = status_of_all();
  EXPECT_EQ(status != 0, left_out != nullptr) << (left_out ? left_out : "no rule is left out");
}

}  // namespace
}  // namespace heddle::device::sim
